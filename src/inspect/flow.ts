// Follows data through the statements of a package: from where it is read to where it is sent or run. Assignments, parameters,
// results, containers, files and pipes carry it, also from one file of the package to another.

import { type BuiltText, type Fact, factOf, WATCHED } from "./facts.ts";
import type { Constants, Folded } from "./fold.ts";
import { Places } from "./places.ts";
import type { Program, Statement } from "./program.ts";
import { argumentsAt, type DataSource, type Sink } from "./rules/endpoints.ts";
import { type Destination, destinationOf } from "./rules/hosts.ts";
import type { Steps } from "./steps.ts";

/** Where tainted data was read. */
interface Origin extends DataSource {
  readonly path: string;
  readonly line: number;
  readonly destination: Destination;
}

export interface Flow {
  readonly sink: Sink;
  /** What reaches the sink. */
  readonly origins: readonly Origin[];
  readonly program: Program;
  readonly statement: Statement;
  /** The server of the sink, or for code that is run, the server it came from. */
  readonly destination: Destination;
  readonly hosts: readonly string[];
}

interface FlowResult {
  readonly flows: readonly Flow[];
  readonly built: readonly BuiltText[];
}

type Taint = ReadonlyMap<string, Origin>;

/** Enough to pass data through functions that are defined after their use. */
const PASSES = 4;
/** Programs of one package that are followed. */
const PROGRAMS = 400;
/** Statements between two pauses. */
const STATEMENTS = 200;
const NO_TAINT: Taint = new Map();
const NO_NAMES = new Set(["self", "this", "cls", "os", "process", "console"]);
/** A secret in a header, or given to a client, is used for what it is made for. */
const CARRIER =
  /(?:^|[._])(?:headers?|auth|authorization|client|session|token|credentials?|api|agent|prox(?:y|ies)\w{0,8})$|client|headers|^self\.(?:api_?key|token)$/i;
const KEEPS_SECRET =
  /^(?:b64encode|urlsafe_b64encode|encode|decode|dumps|stringify|str|String|format|join|strip|trim|btoa|from|toString|hexlify|hex|quote|urlencode|encodeURIComponent|get|getenv|environ|replace|f|dict|list|concat|push|append|encrypt|compress|items|copy|entries|assign|reverse|slice|b32encode|environb|open|read|read_text|readFileSync|readFile|load|loads|parse|safe_load|expanduser|Path|resolve|collect|extend|update|add)$/;

/** The flows between all programs of a package, and the texts that they build. Pauses after some statements. */
export function* followData(programs: readonly Program[]): Steps<FlowResult> {
  const built: BuiltText[] = [];
  const facts: Fact[] = [];
  const constants = new Map<Program, Map<string, Folded>>();
  const followed = programs.slice(0, PROGRAMS);
  const all = followed.flatMap(({ statements }) => statements);
  const places = new Places(
    all.map(({ code }) => code.toLowerCase()),
    WATCHED,
  );
  for (const program of followed) {
    const known = new Map<string, Folded>();
    constants.set(program, known);
    const reader = { program, known, built, connections: new Map<string, string>() };
    for (const statement of program.statements) {
      const index = facts.length;
      facts.push(factOf(statement, reader, (expression) => places.has(expression, index)));
      if (index % STATEMENTS === 0) yield;
    }
  }
  const flows = new Map<string, Flow>();
  if (facts.some(({ sinks }) => sinks.length > 0) && facts.some(({ sources }) => sources.length > 0)) {
    const state = new State(constants);
    for (let pass = 0; pass < PASSES; pass++) {
      const before = state.changes;
      for (const [index, fact] of facts.entries()) {
        state.apply(fact, flows);
        if (index % STATEMENTS === 0) yield;
      }
      if (state.changes === before) break;
    }
  }
  return { flows: [...flows.values()], built };
}

class State {
  changes = 0;
  readonly #taints = new Map<string, Taint>();
  /** The names that carry something in any program and function. */
  readonly #tainted = new Set<string>();
  readonly #functions = new Map<
    string,
    {
      readonly program: Program;
      readonly scope: readonly string[];
      readonly parameters: readonly string[];
      returned: Taint;
    }
  >();
  readonly #handles = new Map<string, string>();
  readonly #constants: ReadonlyMap<Program, Constants>;

  constructor(constants: ReadonlyMap<Program, Constants>) {
    this.#constants = constants;
  }

  apply(fact: Fact, flows: Map<string, Flow>): void {
    const { program, statement } = fact;
    if (fact.defined) this.#define(fact);
    if (fact.handle) this.#handles.set(this.#key(program, statement.scope, fact.handle[0]), fact.handle[1]);
    if (this.changes === 0 && fact.sources.length === 0) return;
    const taint = this.#taintOf(fact);
    if (taint.size === 0) return;
    for (const target of fact.targets)
      this.#taint(program, scopeFor(target, statement), target, passed(taint, target, fact));
    for (const file of fact.written) this.#add(`file:${file}`, taint);
    for (const target of fact.targets) {
      const file = this.#handles.get(this.#key(program, statement.scope, target));
      if (file !== undefined) this.#write(program, statement, file, taint);
    }
    if (fact.returns) this.#return(fact, taint);
    this.#pass(fact, taint);
    for (const sink of fact.sinks) this.#arrive(fact, sink, taint, flows);
  }

  #key(program: Program, scope: readonly string[], name: string): string {
    const id = `${program.path} ${program.language}`;
    return `${id}:${scope.join(">")}:${name}`;
  }

  #taint(program: Program, scope: readonly string[], name: string, taint: Taint): void {
    if (taint.size > 0) this.#tainted.add(name);
    this.#add(this.#key(program, scope, name), taint);
  }

  #add(key: string, taint: Taint): void {
    const known = this.#taints.get(key) ?? NO_TAINT;
    const merged = merge(known, taint);
    if (merged === known) return;
    this.#taints.set(key, merged);
    this.changes++;
  }

  #write(program: Program, statement: Statement, file: string, taint: Taint): void {
    this.#add(`file:${file}`, taint);
    this.#taint(program, statement.scope, file, taint);
  }

  #define(fact: Fact): void {
    const { name, parameters } = fact.defined!;
    const known = this.#functions.get(name);
    if (known?.program === fact.program) return;
    if (!known)
      this.#functions.set(name, {
        program: fact.program,
        scope: [...fact.statement.scope, name],
        parameters,
        returned: NO_TAINT,
      });
  }

  #return(fact: Fact, taint: Taint): void {
    const own = this.#functions.get(fact.statement.scope.at(-1) ?? "");
    if (own?.program !== fact.program) return;
    const merged = merge(own.returned, taint);
    if (merged === own.returned) return;
    own.returned = merged;
    this.changes++;
  }

  /** Hands the data of a call to the parameters of the function. */
  #pass(fact: Fact, taint: Taint): void {
    for (const { path, called } of fact.names) {
      const target = called ? this.#functions.get(path.split(".").at(-1)!) : undefined;
      if (!target || fact.defined?.name === path) continue;
      const given = this.#given(fact, path, target.parameters);
      const placed = [...given.values()].reduce(merge, NO_TAINT);
      const rest: Taint = new Map([...taint].filter(([key]) => !placed.has(key)));
      for (const parameter of target.parameters)
        this.#taint(target.program, target.scope, parameter, merge(given.get(parameter) ?? NO_TAINT, rest));
    }
  }

  /** What each parameter gets by the place or the name of its argument. */
  #given(fact: Fact, path: string, parameters: readonly string[]): Map<string, Taint> {
    const { code } = fact.statement;
    const given = new Map<string, Taint>();
    const at = code.indexOf(`${path}(`);
    if (at < 0) return given;
    for (const [index, argument] of argumentsAt(code, at + path.length + 1).entries()) {
      const named = /^([A-Za-z_]\w{0,80})\s?=(?!=)/.exec(argument)?.[1];
      const parameter = named ?? parameters[index];
      if (/^(?:\*|\.\.\.)/.test(argument)) return new Map();
      if (parameter !== undefined) given.set(parameter, this.#taintOf(fact, argument));
    }
    return given;
  }

  #lookup(program: Program, scope: readonly string[], path: string): Taint {
    let found = NO_TAINT;
    for (let end = path.length; end > 0; end = path.lastIndexOf(".", end - 1)) {
      const name = path.slice(0, end);
      if (!this.#tainted.has(name) || NO_NAMES.has(name)) continue;
      for (let depth = name.includes(".") ? 0 : scope.length; depth >= 0; depth--) {
        const taint = this.#taints.get(this.#key(program, scope.slice(0, depth), name));
        if (taint) found = merge(found, taint);
        if (taint) break;
      }
    }
    return found;
  }

  /** What a statement has; with `part`, only what is in this part of it. */
  #taintOf(fact: Fact, part?: string): Taint {
    const { program, statement } = fact;
    const within = part?.toLowerCase();
    const has = (text: string): boolean => within === undefined || within.includes(text.toLowerCase());
    let taint = NO_TAINT;
    const sources = fact.sources.filter(({ text }) => has(text));
    if (sources.length > 0) {
      const destination = destinationOf(this.#textWithConstants(fact));
      taint = new Map(
        sources.map((source) => [
          `${source.kind} ${source.text}`,
          { ...source, path: program.path, line: statement.line, destination },
        ]),
      );
    }
    for (const name of fact.names) {
      if (!has(name.path)) continue;
      if (name.called && !name.path.includes("."))
        taint = merge(taint, this.#functions.get(name.path)?.returned ?? NO_TAINT);
      else {
        const found = this.#lookup(program, statement.scope, name.path);
        if (found.size > 0)
          taint = merge(
            taint,
            name.header
              ? withoutSecrets(ownKey(name.path) ? asSecrets(found) : picked(found))
              : name.picked
                ? picked(found)
                : found,
          );
        if (name.called)
          taint = merge(taint, this.#functions.get(name.path.split(".").at(-1)!)?.returned ?? NO_TAINT);
      }
    }
    for (const file of fact.files)
      if (has(file)) taint = merge(taint, this.#taints.get(`file:${file}`) ?? NO_TAINT);
    return taint;
  }

  #textWithConstants(fact: Fact): string {
    const known = this.#constants.get(fact.program);
    const named = fact.names.map(
      ({ path }) =>
        (known?.get(path) ?? known?.get(path.replace(/^(?:self|this|cls|[A-Z]\w{0,40})\./, "")))?.text ?? "",
    );
    return [fact.statement.code, fact.reaches, ...named].join(" ");
  }

  #arrive(fact: Fact, sink: Sink, taint: Taint, flows: Map<string, Flow>): void {
    const arrived = sink.part === undefined ? taint : this.#taintOf(fact, sink.part);
    const origins = [...arrived.values()].filter(({ kind }) => (kind === "remote") === (sink.kind === "run"));
    if (origins.length === 0) return;
    const text = this.#textWithConstants(fact);
    const { program, statement } = fact;
    const destination = sink.kind === "run" ? worst(origins) : destinationOf(text);
    flows.set(`${sink.kind} ${program.path}:${statement.line}`, {
      sink,
      origins,
      program,
      statement,
      destination,
      hosts: hostNames(text),
    });
  }
}

function hostNames(text: string): string[] {
  return [...text.matchAll(/https?:\/\/([\w.-]{3,100})/gi)].map((match) => match[1]!.toLowerCase());
}

const SHADE: readonly Destination[] = ["local", "vendor", "unknown", "plain", "shady"];

function worst(origins: readonly Origin[]): Destination {
  return origins
    .map(({ destination }) => destination)
    .sort((a, b) => SHADE.indexOf(b) - SHADE.indexOf(a))[0]!;
}

function scopeFor(target: string, { scope }: Statement): readonly string[] {
  return target.includes(".") ? [] : scope;
}

function merge(a: Taint, b: Taint): Taint {
  if (b.size === 0 || a === b) return a;
  if (a.size === 0) return b;
  let merged: Map<string, Origin> | undefined;
  for (const [key, origin] of b) {
    if (a.has(key) || a.size > 24) continue;
    merged ??= new Map(a);
    merged.set(key, origin);
  }
  return merged ?? a;
}

/** One entry of a store is one secret, not the store. */
function picked(taint: Taint): Taint {
  const found = new Map<string, Origin>();
  for (const [key, origin] of taint)
    found.set(
      key,
      origin.kind === "environment" || origin.kind === "sensitive" ? { ...origin, kind: "secret" } : origin,
    );
  return found;
}

/** A field with a key: in a header it is used for what it is made for, wherever it was kept. */
function ownKey(path: string): boolean {
  return /\.(?:\w{0,20}_?)?(?:api_?key|token|secret|password)$/i.test(path);
}

function asSecrets(taint: Taint): Taint {
  return new Map([...taint].map(([key, origin]) => [key, { ...origin, kind: "secret" as const }]));
}

/** What an assignment keeps: one secret is not followed into headers, clients and results of unknown calls. */
function passed(taint: Taint, target: string, fact: Fact): Taint {
  const weak = [...taint].some(([, { kind }]) => kind === "secret");
  if (!weak) return taint;
  const opaque = fact.names.some(({ path, called }) => called && !KEEPS_SECRET.test(path.split(".").at(-1)!));
  if (!opaque && !CARRIER.test(target)) return taint;
  if (!opaque && fact.sources.length > 0 && /key|token|secret|password/i.test(target)) return taint;
  return withoutSecrets(taint);
}

function withoutSecrets(taint: Taint): Taint {
  return new Map([...taint].filter(([, { kind }]) => kind !== "secret"));
}
