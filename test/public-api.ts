// Reads what the package's entry points promise: the public functions with their examples, and the types in their
// signatures. Turns the examples into modules that can be compiled and run.

import { readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import ts from "typescript";

/** Files by the name that users import them with. */
export type Entries = Readonly<Record<string, string>>;

export interface PublicFunction {
  /** `parseSkill`, or `Repertoire.recall` for a method. */
  readonly name: string;
  /** The texts below `@example`. */
  readonly examples: readonly string[];
}

/** A type that a public declaration names and no entry point exports. */
export interface HiddenType {
  /** The exported name whose signature has it. */
  readonly usedBy: string;
  readonly type: string;
  readonly file: string;
}

export interface PublicApi {
  readonly functions: readonly PublicFunction[];
  readonly hidden: readonly HiddenType[];
  /** The names that each entry point exports as values. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

export interface Example {
  /** The function's name, numbered where it has several examples. */
  readonly name: string;
  readonly code: string;
}

/** The entry points of a package.json, as the source files behind its declarations. */
export function entriesOf(packageFile: string): Entries {
  const { name, exports } = JSON.parse(readFileSync(packageFile, "utf8")) as {
    name: string;
    exports: Record<string, { types?: string }>;
  };
  const found = Object.entries(exports).flatMap(([subpath, { types }]) => {
    const file = types?.replace("./dist/types/", "src/").replace(/\.d\.ts$/, ".ts");
    return file === undefined ? [] : [[join(name, subpath), resolve(dirname(packageFile), file)] as const];
  });
  return Object.fromEntries(found);
}

/** Reads the entry points; only what is declared below `root` counts. */
export function readApi(entries: Entries, root: string): PublicApi {
  const program = programOf(Object.values(entries));
  return new ApiReader(program, entries, resolve(root)).read();
}

class ApiReader {
  private readonly checker: ts.TypeChecker;
  private readonly root: string;
  private readonly exported = new Map<ts.Symbol, string>();
  /** Classes that users can call with `new`. */
  private readonly usable = new Set<ts.Symbol>();
  private readonly values = new Map<string, string[]>();
  private readonly hidden = new Map<string, HiddenType>();

  constructor(program: ts.Program, entries: Entries, root: string) {
    this.checker = program.getTypeChecker();
    this.root = root;
    for (const [entry, file] of Object.entries(entries)) {
      const module = this.checker.getSymbolAtLocation(program.getSourceFile(file)!)!;
      const symbols = this.checker.getExportsOfModule(module);
      for (const symbol of symbols) this.exported.set(this.original(symbol), symbol.name);
      const isValue = (symbol: ts.Symbol) =>
        (this.original(symbol).flags & ts.SymbolFlags.Value) !== 0 && !isTypeOnly(symbol);
      const values = symbols.filter(isValue);
      for (const symbol of values) this.usable.add(this.original(symbol));
      this.values.set(
        entry,
        values.map(({ name }) => name),
      );
    }
  }

  read(): PublicApi {
    const functions: PublicFunction[] = [];
    for (const [symbol, name] of this.exported) {
      const owned = (symbol.declarations ?? []).filter((node) => this.isOwn(node));
      if (owned.some((node) => this.isFunction(node)))
        functions.push({ name, examples: examplesOf(symbol, this.checker) });
      if (owned.some(ts.isClassDeclaration))
        for (const method of this.methodsOf(symbol))
          functions.push({ name: `${name}.${method.name}`, examples: examplesOf(method, this.checker) });
      for (const node of owned) this.lookInto(node, name);
    }
    return { functions, hidden: [...this.hidden.values()], values: this.values };
  }

  private isFunction(node: ts.Node): boolean {
    if (ts.isFunctionDeclaration(node)) return true;
    return (
      ts.isVariableDeclaration(node) && this.checker.getTypeAtLocation(node).getCallSignatures().length > 0
    );
  }

  /** The public methods of a class, inherited ones included. */
  private methodsOf(symbol: ts.Symbol): ts.Symbol[] {
    return this.membersOf(symbol).filter((member) =>
      member.declarations?.some((node) => ts.isMethodDeclaration(node)),
    );
  }

  private membersOf(symbol: ts.Symbol): ts.Symbol[] {
    return this.checker
      .getPropertiesOfType(this.checker.getDeclaredTypeOfSymbol(symbol))
      .filter((member) => member.declarations?.every((node) => this.isOwn(node) && isPublic(node)));
  }

  /** Notes every type in the signature of a declaration that users cannot import. */
  private lookInto(node: ts.Node, usedBy: string): void {
    if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) {
      const symbol = this.checker.getSymbolAtLocation(node.name!)!;
      // A member that a mapped type has derived from a value is not of the value's type.
      for (const member of this.membersOf(symbol))
        for (const declared of member.declarations ?? [])
          if (ts.isPropertyAssignment(declared))
            this.lookIntoInferred(this.checker.getTypeOfSymbol(member), usedBy);
          else this.lookIntoSignature(declared, usedBy);
      const unnamed = (member: ts.Node) =>
        (ts.isConstructorDeclaration(member) && this.usable.has(symbol)) ||
        ts.isIndexSignatureDeclaration(member) ||
        ts.isCallSignatureDeclaration(member);
      for (const member of node.members)
        if (unnamed(member) && isPublic(member)) this.lookIntoSignature(member, usedBy);
    } else this.lookIntoSignature(node, usedBy);
  }

  private lookIntoSignature(node: ts.Node, usedBy: string): void {
    if (ts.isFunctionLike(node))
      for (const parameter of node.parameters) this.lookIntoSignature(parameter, usedBy);
    const { type } = node as { readonly type?: ts.TypeNode };
    if (type !== undefined) this.lookIntoType(type, usedBy);
    else if (!ts.isFunctionLike(node)) this.lookIntoInferred(this.checker.getTypeAtLocation(node), usedBy);
    else if (!ts.isConstructorDeclaration(node)) {
      const signature = this.checker.getSignatureFromDeclaration(node as ts.SignatureDeclaration);
      if (signature) this.lookIntoInferred(signature.getReturnType(), usedBy);
    }
  }

  private lookIntoType(node: ts.Node, usedBy: string): void {
    if (ts.isTypeReferenceNode(node)) this.note(this.checker.getSymbolAtLocation(node.typeName), usedBy);
    if (ts.isImportTypeNode(node) && node.qualifier)
      this.note(this.checker.getSymbolAtLocation(node.qualifier), usedBy);
    ts.forEachChild(node, (child) => this.lookIntoType(child, usedBy));
  }

  /** A type that nobody wrote down: named types are noted, the others are looked into. */
  private lookIntoInferred(type: ts.Type, usedBy: string, seen = new Set<ts.Type>()): void {
    if (seen.has(type)) return;
    seen.add(type);
    const { objectFlags = 0 } = type as Partial<ts.ObjectType>;
    const isReference = (objectFlags & ts.ObjectFlags.Reference) !== 0;
    // A mapped type is shown by its members, not by its name.
    const alias = objectFlags & ts.ObjectFlags.Mapped ? undefined : type.aliasSymbol;
    const named = alias ?? (type.isClassOrInterface() || isReference ? type.symbol : undefined);
    this.note(named, usedBy);
    for (const part of named === undefined ? this.partsOf(type) : this.argumentsOf(type, isReference))
      this.lookIntoInferred(part, usedBy, seen);
  }

  private argumentsOf(type: ts.Type, isReference: boolean): readonly ts.Type[] {
    if (type.aliasSymbol !== undefined) return type.aliasTypeArguments ?? [];
    return isReference ? this.checker.getTypeArguments(type as ts.TypeReference) : [];
  }

  private partsOf(type: ts.Type): ts.Type[] {
    if (type.isUnionOrIntersection()) return type.types;
    if ((type.flags & ts.TypeFlags.Object) === 0) return [];
    const signatures = type.getCallSignatures();
    const members = [
      ...type.getProperties(),
      ...signatures.flatMap((signature) => signature.getParameters()),
    ];
    return [
      ...members.map((member) => this.checker.getTypeOfSymbol(member)),
      ...signatures.map((signature) => signature.getReturnType()),
    ];
  }

  private note(found: ts.Symbol | undefined, usedBy: string): void {
    if (found === undefined) return;
    const symbol = this.original(found);
    const node = symbol.declarations?.[0];
    if (node === undefined || ts.isTypeParameterDeclaration(node) || !this.isOwn(node)) return;
    if (this.exported.has(symbol)) return;
    const file = relative(this.root, node.getSourceFile().fileName);
    this.hidden.set(`${usedBy} ${file} ${symbol.name}`, { usedBy, type: symbol.name, file });
  }

  private original(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  private isOwn(node: ts.Node): boolean {
    const path = relative(this.root, node.getSourceFile().fileName);
    return !path.startsWith("..") && !path.includes("node_modules");
  }
}

function isTypeOnly(symbol: ts.Symbol): boolean {
  return (
    symbol.declarations?.some(
      (node) => ts.isExportSpecifier(node) && ts.isTypeOnlyExportDeclaration(node),
    ) === true
  );
}

function isPublic(node: ts.Node): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  const { name } = node as ts.NamedDeclaration;
  return (
    (ts.getCombinedModifierFlags(node as ts.Declaration) & hidden) === 0 &&
    // The published declarations leave these out.
    !ts.getJSDocTags(node).some(({ tagName }) => tagName.text === "internal") &&
    (name === undefined || !ts.isPrivateIdentifier(name))
  );
}

function examplesOf(symbol: ts.Symbol, checker: ts.TypeChecker): string[] {
  return symbol
    .getJsDocTags(checker)
    .filter(({ name }) => name === "example")
    .map(({ text }) =>
      ts
        .displayPartsToString(text)
        .replace(/^```\w*\n|\n```$/g, "")
        .trim(),
    )
    .filter((code) => code !== "");
}

/** Every example of these functions by itself. */
export function examplesIn(functions: readonly PublicFunction[]): Example[] {
  return functions.flatMap(({ name, examples }) =>
    examples.map((code, at) => ({ name: examples.length > 1 ? `${name} ${at + 1}` : name, code })),
  );
}

/**
 * A module whose default export runs an example. The example may use every export of the main entry point without an
 * import, and what `place`, an interface, has.
 */
export function exampleModule(
  { code }: Example,
  {
    main,
    values,
    place,
  }: {
    readonly main: string;
    readonly values: readonly string[];
    readonly place: { readonly module: string; readonly type: string; readonly fields: readonly string[] };
  },
): string {
  const imports = [...code.matchAll(/^import .*$/gm)].map(([line]) => line);
  const taken = new Set(imports.flatMap((line) => line.match(/\w+/g) ?? []));
  const given = values.filter((name) => !taken.has(name));
  return [
    ...imports,
    `import { ${given.join(", ")} } from "${main}";`,
    `import type { ${place.type} as Place } from "${place.module}";`,
    // The second pair of braces lets an example declare a name that the place has too.
    `export default async function example({ ${place.fields.join(", ")} }: Place) {{`,
    code.replace(/^import .*$/gm, ""),
    "}}",
  ].join("\n");
}

/** What the compiler finds wrong with the files; `paths` says where the modules are that they import. */
export function compileErrors(files: readonly string[], paths: Readonly<Record<string, string>>): string[] {
  const program = programOf(files, paths);
  return files.flatMap((file) => {
    const source = program.getSourceFile(file)!;
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(
      ({ code, messageText }) =>
        `${basename(file)}: TS${code} ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
  });
}

/** Files that one program has parsed are not parsed again for the next. */
const PARSED = new Map<string, ts.SourceFile | undefined>();

function programOf(files: readonly string[], paths: Readonly<Record<string, string>> = {}): ts.Program {
  const options = compilerOptions(paths);
  const host = ts.createCompilerHost(options);
  const parse = host.getSourceFile.bind(host);
  host.getSourceFile = (file, ...rest) => {
    if (!PARSED.has(file)) PARSED.set(file, parse(file, ...rest));
    return PARSED.get(file);
  };
  return ts.createProgram(files, options, host);
}

function compilerOptions(paths: Readonly<Record<string, string>>): ts.CompilerOptions {
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, process.cwd());
  return {
    ...options,
    noEmit: true,
    noUnusedLocals: false,
    noUnusedParameters: false,
    allowImportingTsExtensions: true,
    typeRoots: [resolve("node_modules/@types")],
    paths: Object.fromEntries(Object.entries(paths).map(([name, file]) => [name, [resolve(file)]])),
  };
}
