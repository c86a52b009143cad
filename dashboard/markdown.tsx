// Shows Markdown of others. The tokens become nodes of our own making: no HTML of the text is ever parsed, no image is loaded,
// and only links to the web are links.

import { marked, type Token, type Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { plain } from "./pieces.tsx";

/** Rows of a table and tokens of a text that are shown; a page must not hang on what somebody else wrote. */
const MOST_ROWS = 200;
const MOST_BLOCKS = 2_000;

export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => lexed(text), [text]);
  if (tokens === undefined) return <pre class="source">{plain(text)}</pre>;
  const left = tokens.length - MOST_BLOCKS;
  return (
    <div class="markdown">
      {blocks(tokens.slice(0, MOST_BLOCKS))}
      {left > 0 && <p class="quiet">{left} more blocks are not shown.</p>}
    </div>
  );
}

/** Undefined if the text is nested too deeply to be read. */
function lexed(text: string): Token[] | undefined {
  try {
    return marked.lexer(text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function blocks(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token, at) => <Block key={at} token={token} />);
}

function Block({ token }: { token: Token }) {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      const { depth, tokens } = token as Tokens.Heading;
      // The page has its own h1 and h2.
      const Level = `h${Math.min(6, depth + 2)}` as "h3";
      return <Level>{inline(tokens)}</Level>;
    }
    case "code":
      return (
        <pre>
          <code>{plain((token as Tokens.Code).text)}</code>
        </pre>
      );
    case "blockquote":
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens)}</blockquote>;
    case "hr":
      return <hr />;
    case "list":
      return <List list={token as Tokens.List} />;
    case "table":
      return <Table table={token as Tokens.Table} />;
    case "paragraph":
      return <p>{inline((token as Tokens.Paragraph).tokens)}</p>;
    case "text":
      return <>{inline((token as Tokens.Text).tokens ?? [token])}</>;
    default:
      return <pre class="raw">{plain(token.raw)}</pre>;
  }
}

function List({ list }: { list: Tokens.List }) {
  const items = list.items.map((item, at) => (
    <li key={at}>
      {item.task && (item.checked ? "☑ " : "☐ ")}
      {blocks(item.tokens.filter(({ type }) => type !== "checkbox"))}
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table }: { table: Tokens.Table }) {
  const left = table.rows.length - MOST_ROWS;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section class="scrolls" tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, at) => (
              <th key={at}>{inline(cell.tokens)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.slice(0, MOST_ROWS).map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{inline(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && <p class="quiet">{left} more rows are not shown.</p>}
    </section>
  );
}

function inline(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token, at) => <Inline key={at} token={token} />);
}

function Inline({ token }: { token: Token }) {
  switch (token.type) {
    case "strong":
      return <strong>{inline((token as Tokens.Strong).tokens)}</strong>;
    case "em":
      return <em>{inline((token as Tokens.Em).tokens)}</em>;
    case "del":
      return <del>{inline((token as Tokens.Del).tokens)}</del>;
    case "codespan":
      return <code>{plain((token as Tokens.Codespan).text)}</code>;
    case "br":
      return <br />;
    case "link": {
      const { href, tokens } = token as Tokens.Link;
      if (!isOfTheWeb(href)) return <span title={plain(href)}>{inline(tokens)}</span>;
      return (
        <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={plain(href)}>
          {inline(tokens)}
        </a>
      );
    }
    case "image": {
      const { href, text } = token as Tokens.Image;
      return (
        <span class="picture" title={plain(href)}>
          [picture: {plain(text || href)}]
        </span>
      );
    }
    case "text":
    case "escape": {
      const { tokens, text } = token as Tokens.Text;
      return <>{tokens ? inline(tokens) : plain(withCharacters(text))}</>;
    }
    default:
      return <code class="raw">{plain(token.raw)}</code>;
  }
}

function isOfTheWeb(href: string): boolean {
  return URL.canParse(href) && ["http:", "https:", "mailto:"].includes(new URL(href).protocol);
}

const CHARACTERS: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  nbsp: " ",
  "#39": "'",
};

function withCharacters(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name) => CHARACTERS[name]!);
}
