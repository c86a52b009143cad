// Owns where each part of a JSON text stands. Comments and trailing commas are read over, as VS Code and opencode do.
// Does not own changing a text (`json-text.ts`).

export interface JsonItem {
  /** Where it begins: at its key, when it has one. */
  readonly from: number;
  readonly key?: string;
  readonly node: JsonNode;
  /** Where the comma behind it stands. */
  comma?: number;
}

export interface JsonNode {
  readonly kind: "object" | "list" | "plain";
  readonly from: number;
  readonly to: number;
  readonly items: readonly JsonItem[];
  read(): unknown;
}

/** A part of the text, and which one it is of those beside it. */
export interface Located {
  readonly from: number;
  readonly node: JsonNode;
  readonly index: number;
}

/** The last of several members of one name counts, as it does for every reader of JSON. */
export function memberAt(
  node: JsonNode | undefined,
  key: string,
): { readonly value: JsonNode; readonly index: number } | undefined {
  const index = node?.kind === "object" ? node.items.findLastIndex((item) => item.key === key) : -1;
  return index < 0 ? undefined : { value: node!.items[index]!.node, index };
}

/** The parts on the way to a path, the whole text first; undefined when the way ends before. */
export function locate(root: JsonNode, path: readonly (string | number)[]): Located[] | undefined {
  const chain: Located[] = [{ from: root.from, node: root, index: 0 }];
  for (const step of path) {
    const { node } = chain.at(-1)!;
    const index = typeof step === "number" ? step : (memberAt(node, step)?.index ?? -1);
    const item = node.items[index];
    if (item === undefined) return undefined;
    chain.push({ from: item.from, node: item.node, index });
  }
  return chain;
}

/** Reads the whole text; what is not JSON is a SyntaxError that says where. */
export function parseJsonText(text: string): JsonNode {
  return new Reader(text).whole();
}

const GAP = /(?:[\s\ufeff]|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;
const STRING = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
const PLAIN = /[-+.\w]+/y;
/** Deeper than any configuration; a text that goes further would exhaust the stack. */
const DEPTH = 500;

class Reader {
  private readonly text: string;
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  whole(): JsonNode {
    const node = this.value();
    this.skip();
    if (this.at < this.text.length) throw this.unexpected();
    return node;
  }

  private value(): JsonNode {
    this.skip();
    const open = this.text[this.at];
    if (open === "{" || open === "[") return this.container(open);
    const from = this.at;
    const written = this.take(open === '"' ? STRING : PLAIN);
    const value: unknown = this.parsed(written, from);
    return { kind: "plain", from, to: this.at, items: [], read: () => value };
  }

  private container(open: "{" | "["): JsonNode {
    const from = this.at++;
    if (++this.depth > DEPTH) throw this.unexpected();
    const isObject = open === "{";
    const close = isObject ? "}" : "]";
    const items: JsonItem[] = [];
    for (this.skip(); this.text[this.at] !== close; this.skip()) {
      const last = items.at(-1);
      if (last && last.comma === undefined) throw this.unexpected();
      const item = isObject ? this.member() : this.element();
      items.push(item);
      this.skip();
      if (this.text[this.at] === ",") item.comma = this.at++;
    }
    this.depth--;
    this.at++;
    const read = () =>
      isObject
        ? Object.fromEntries(items.map(({ key, node }) => [key!, node.read()]))
        : items.map(({ node }) => node.read());
    return { kind: isObject ? "object" : "list", from, to: this.at, items, read };
  }

  private member(): JsonItem {
    const from = this.at;
    const key = this.parsed(this.take(STRING), from) as string;
    this.skip();
    if (this.text[this.at] !== ":") throw this.unexpected();
    this.at++;
    return { from, key, node: this.value() };
  }

  private element(): JsonItem {
    const node = this.value();
    return { from: node.from, node };
  }

  private parsed(written: string, from: number): unknown {
    try {
      return JSON.parse(written);
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError)) throw thrown;
      this.at = from;
      throw this.unexpected();
    }
  }

  private skip(): void {
    this.take(GAP);
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) throw this.unexpected();
    this.at += found.length;
    return found;
  }

  private unexpected(): SyntaxError {
    const line = this.text.slice(0, this.at).split("\n").length;
    const what =
      this.at < this.text.length ? `unexpected ${JSON.stringify(this.text[this.at])}` : "it ends too soon";
    return new SyntaxError(`${what} in line ${line}`);
  }
}
