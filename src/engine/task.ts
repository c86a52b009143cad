// A task as a host holds it: who acts and who is asked are given once.

import type { Activation, ConsentAsker, Expansion, FilePart, TaskContext } from "../activate/activate.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { RegisteredTool, ScriptCall, ScriptResult, ToolCallResult } from "../tools/tools.ts";
import type { Deferred } from "./deferred.ts";
import type { TaskPart } from "./task-part.ts";

export interface TaskOptions extends Omit<TaskContext, "task" | "ask"> {
  /** Asks a person for consent; without it, what needs consent is refused with the command to run. */
  readonly askConsent?: ConsentAsker | undefined;
}

export class OpenTask {
  readonly context: TaskContext;
  private readonly tasks: Deferred<TaskPart>;

  constructor(id: string, { askConsent, ...who }: TaskOptions, tasks: Deferred<TaskPart>) {
    this.context = { ...who, task: id, ask: askConsent };
    this.tasks = tasks;
  }

  /**
   * Hands over a skill's instructions, with consent, from a private copy.
   *
   * @example
   * const { text } = await skills.task("t1", { askConsent: () => true }).activate("pdf-tables");
   */
  activate(name: string): Promise<Activation> {
    return this.tasks.activate(name, this.context);
  }

  /**
   * Runs a script of an activated skill in the sandbox.
   *
   * @example
   * const { ok, stdout } = await task.run("pdf-tables", "scripts/extract.sh", { args: ["report.pdf"] });
   */
  run(
    name: string,
    script: string,
    call: Pick<ScriptCall, "args" | "stdin" | "policy" | "signal"> = {},
  ): Promise<ScriptResult> {
    return this.tasks.run(name, script, { ...this.context, ...call });
  }

  /**
   * A text file of an activated skill.
   *
   * @example
   * const { text } = await task.readFile("pdf-tables", "references/notes.md");
   */
  readFile(name: string, path: string, from: { readonly offset?: number } = {}): Promise<FilePart> {
    return this.tasks.readFile(name, path, { ...this.context, ...from });
  }

  /**
   * Loads the tools that an activated skill brings.
   *
   * @example
   * const { tools } = await task.tools("pdf-tables");
   */
  tools(name: string): Promise<{ tools: RegisteredTool[]; diagnostics: readonly Diagnostic[] }> {
    return this.tasks.tools(name, this.context);
  }

  /**
   * Calls a tool that an activated skill has brought.
   *
   * @example
   * const { output } = await task.call("pdf-tables__extract", { file: "report.pdf" });
   */
  call(
    tool: string,
    args: unknown,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<ToolCallResult> {
    return this.tasks.call(tool, args, { ...this.context, ...options });
  }

  /**
   * The text of a slash command; in a session it counts as an activation.
   *
   * @example
   * const { text } = await task.expand("/pdf-tables the report of May");
   */
  expand(text: string): Promise<Expansion> {
    return this.tasks.expand(text, this.context);
  }

  /**
   * Ends the task: its consents and private copies are removed.
   *
   * @example
   * await task.end();
   */
  end(): Promise<boolean> {
    return this.tasks.end(this.context.task);
  }
}
