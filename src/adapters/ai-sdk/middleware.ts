// Wraps a model: adds the section before each call, and notices when a call is aborted.

import { ReadableStream } from "node:stream/web";
import type { PromptOptions, Repertoire } from "../../engine/engine.ts";
import { PromptSections } from "./section.ts";
import type { CallableModel, ModelCall, SectionMiddleware } from "./shapes.ts";

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
