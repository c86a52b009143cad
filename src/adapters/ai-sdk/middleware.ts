// Wraps a model: adds the section before each call, and notices when a call is aborted.

import { createHash } from "node:crypto";
import { ReadableStream } from "node:stream/web";
import type { PromptOptions, Repertoire } from "../../engine/engine.ts";
import type { CallableModel, ModelCall, PromptMessage, SectionMiddleware } from "./shapes.ts";

export interface MiddlewareOptions extends PromptOptions {
  readonly session: string;
}

/**
 * For `wrapLanguageModel`, where a host has only its model in hand. Serves one session.
 *
 * @example
 * import { repertoireMiddleware } from "repertoire/ai-sdk";
 * const middleware = repertoireMiddleware(skills, { session: "s1", budget: { tokens: 800 } });
 */
export function repertoireMiddleware(
  engine: Repertoire,
  { session, ...options }: MiddlewareOptions,
): SectionMiddleware {
  return middlewareFor(new PromptSections(engine, session, options));
}

export function middlewareFor(sections: PromptSections): SectionMiddleware {
  const answered = async <RESULT>(result: PromiseLike<RESULT>, params: object): Promise<RESULT> => {
    const answer = await result;
    sections.answered((params as ModelCall).prompt);
    return answer;
  };
  return {
    specificationVersion: "v3",
    async transformParams({ params }) {
      return { ...params, prompt: await sections.into((params as unknown as ModelCall).prompt) };
    },
    wrapGenerate: ({ doGenerate, params }) => answered(doGenerate(), params),
    wrapStream: ({ doStream, params }) => answered(doStream(), params),
  };
}

/** Called for each model call of a run. */
export interface RunWatcher {
  calling(signal: AbortSignal | undefined): void;
  aborted(): Promise<void>;
}

/** The model with the section in each of its calls. Keeps the model's own version of the SDK's interface. */
export function withSections<MODEL>(model: MODEL, sections: PromptSections, run: RunWatcher): MODEL {
  const callable = model as MODEL & CallableModel;
  const call = async <RESULT>(
    given: ModelCall,
    answer: (prepared: ModelCall) => PromiseLike<RESULT>,
  ): Promise<RESULT> => {
    run.calling(given.abortSignal);
    try {
      const result = await answer({ ...given, prompt: await sections.into(given.prompt) });
      sections.answered(given.prompt);
      return result;
    } catch (error) {
      if (given.abortSignal?.aborted) await run.aborted();
      throw error;
    }
  };
  return new Proxy(callable, {
    get(target, key) {
      if (key === "doGenerate") return (given: ModelCall) => call(given, (one) => target.doGenerate(one));
      if (key === "doStream")
        return async (given: ModelCall) =>
          watched(await call(given, (one) => target.doStream(one)), given.abortSignal, run);
      return Reflect.get(target, key, target);
    },
  });
}

/** An agent of the SDK does not say that its stream was called off; the signal does, while the stream is read. */
function watched<RESULT>(result: RESULT, signal: AbortSignal | undefined, run: RunWatcher): RESULT {
  const { stream } = result as { readonly stream?: ReadableStream };
  if (!stream || !signal) return result;
  const onAbort = () => void run.aborted();
  async function* parts(): AsyncGenerator {
    if (signal!.aborted) onAbort();
    signal!.addEventListener("abort", onAbort, { once: true });
    try {
      yield* stream!;
    } finally {
      signal!.removeEventListener("abort", onAbort);
    }
  }
  return { ...result, stream: ReadableStream.from(parts()) };
}

/** A conversation goes on with its last message; a few more serve runs side by side and messages that are sent again. */
const TURNS_KEPT = 8;

/** The section of a turn: what is the same at every turn, and what is for this message. */
interface TurnSection {
  readonly stable: string;
  readonly turn: string;
}

const NO_SECTION: TurnSection = { stable: "", turn: "" };

interface Begun {
  readonly section: Promise<TurnSection>;
  answered: boolean;
}

/** Where in the conversation a prompt stands. */
interface Moment {
  readonly message: string;
  /** Which message of the person's, from 1. */
  readonly position: number;
  /** False between the steps of a run, and when a run is taken up again. */
  readonly endsWithMessage: boolean;
}

/**
 * Adds the engine's section to a prompt, exactly once, and finds out which turn of the session the prompt belongs to. What is the
 * same at every turn goes into the system prompt, so that a provider's cache holds; what is for this message goes behind it.
 */
export class PromptSections {
  private readonly engine: Repertoire;
  private readonly session: string;
  private readonly options: PromptOptions;
  private readonly turns = new Map<string, Begun>();

  constructor(engine: Repertoire, session: string, options: PromptOptions = {}) {
    this.engine = engine;
    this.session = session;
    this.options = options;
  }

  /** The prompt with the section of its turn; steps and retries of the turn get the same one. */
  async into<MESSAGE extends PromptMessage>(prompt: readonly MESSAGE[]): Promise<MESSAGE[]> {
    const { stable, turn } = await this.sectionFor(momentOf(prompt));
    return withTurn(withStable(prompt, stable), turn);
  }

  /** The model has answered this prompt: should the same come again, it is not a retry. */
  answered(prompt: readonly PromptMessage[]): void {
    const begun = this.turns.get(keyOf(momentOf(prompt)));
    if (begun) begun.answered = true;
  }

  private async sectionFor(moment: Moment): Promise<TurnSection> {
    if (moment.position === 0) return NO_SECTION;
    const key = keyOf(moment);
    const known = this.turns.get(key);
    // A host that sends no history gives no place in the conversation: there, each message is a new one.
    const withoutHistory = moment.position === 1 && moment.endsWithMessage;
    if (known && !(withoutHistory && known.answered)) return known.section;
    const section = this.ask(moment.message, withoutHistory ? undefined : key);
    this.turns.delete(key);
    this.turns.set(key, { section, answered: false });
    for (const old of [...this.turns.keys()].slice(0, -TURNS_KEPT)) this.turns.delete(old);
    // What failed is asked anew.
    section.catch(() => this.turns.delete(key));
    return section;
  }

  private async ask(message: string, id: string | undefined): Promise<TurnSection> {
    // The prompt is made anew for each message.
    const { context = "rebuild" } = this.engine.config;
    const turn = this.engine.turn({ message, session: this.session, id });
    const { text, stableChars } = await turn.prompt({ context, ...this.options });
    // A style that does not tell the two apart is shown as one.
    if (stableChars === 0) return { stable: text, turn: "" };
    return { stable: text.slice(0, stableChars).trimEnd(), turn: text.slice(stableChars).trim() };
  }
}

/** In the last system message, because many servers take only one; beside it where that one is marked for a cache. */
function withStable<MESSAGE extends PromptMessage>(prompt: readonly MESSAGE[], text: string): MESSAGE[] {
  if (text === "" || prompt.some((message) => isSystem(message) && message.content.includes(text)))
    return [...prompt];
  const afterSystem = prompt.findIndex((message) => message.role !== "system");
  const at = afterSystem < 0 ? prompt.length : afterSystem;
  const last = prompt[at - 1];
  const rest = prompt.slice(at);
  if (last !== undefined && isSystem(last) && last.providerOptions === undefined)
    return [...prompt.slice(0, at - 1), { ...last, content: `${last.content}\n\n${text}` }, ...rest];
  return [...prompt.slice(0, at), { role: "system", content: text } as unknown as MESSAGE, ...rest];
}

/** Marks our part of a message. Providers pay no attention to options of others. */
const OURS = { repertoire: { section: true } };

/** Behind the words of the last message that the person wrote. */
function withTurn<MESSAGE extends PromptMessage>(prompt: readonly MESSAGE[], text: string): MESSAGE[] {
  const at = prompt.findLastIndex(({ role }) => role === "user");
  const message = prompt[at];
  if (text === "" || message === undefined) return [...prompt];
  const { content } = message;
  const isThere = Array.isArray(content) ? content.some(isOurs) : String(content).endsWith(text);
  if (isThere) return [...prompt];
  const part = { type: "text", text: `\n\n${text}`, providerOptions: OURS };
  const added = {
    ...message,
    content: Array.isArray(content) ? [...content, part] : `${content}${part.text}`,
  };
  return [...prompt.slice(0, at), added, ...prompt.slice(at + 1)];
}

function isOurs(part: unknown): boolean {
  const { providerOptions } = part as { readonly providerOptions?: Partial<typeof OURS> };
  return providerOptions?.repertoire?.section === true;
}

function isSystem(message: PromptMessage): message is PromptMessage & { readonly content: string } {
  return message.role === "system" && typeof message.content === "string";
}

function momentOf(prompt: readonly PromptMessage[]): Moment {
  const said = prompt.filter(({ role }) => role === "user");
  return {
    message: textOf(said.at(-1)?.content),
    position: said.length,
    endsWithMessage: prompt.at(-1)?.role === "user",
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const parts = content as readonly { readonly type?: unknown; readonly text?: unknown }[];
  return parts
    .filter((part) => !isOurs(part))
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? text : []))
    .join("\n");
}

function keyOf({ position, message }: Moment): string {
  return `${position}-${createHash("sha256").update(message).digest("hex").slice(0, 16)}`;
}
