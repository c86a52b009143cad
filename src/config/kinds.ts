// Describes the values that configuration keys accept, as JSON Schema fragments that carry their TypeScript type.
// The same fragment validates a value, words the error message and goes into the schema for editors.

/** The part of JSON Schema that the configuration uses. */
export interface Schema {
  readonly type?: "boolean" | "string" | "number" | "integer" | "array" | "object" | undefined;
  readonly enum?: readonly string[] | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly minLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly items?: Schema | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: Schema | false | undefined;
  readonly examples?: readonly unknown[] | undefined;
}

declare const VALUE: unique symbol;

/** A schema for values of type `T`. */
export interface ValueKind<T> extends Schema {
  /** Exists in the type only. */
  readonly [VALUE]?: T;
}

type ValueOf<K> = K extends ValueKind<infer T> ? T : never;
/** Writes an intersection as one object type, so that type errors and tooltips are readable. */
export type Flat<T> = { [N in keyof T]: T[N] };
type Fields<F, Required extends keyof F> = Flat<
  { readonly [N in Required]: ValueOf<F[N]> } & {
    readonly [N in Exclude<keyof F, Required>]?: ValueOf<F[N]>;
  }
>;

export const boolean: ValueKind<boolean> = { type: "boolean" };

export function string(example?: string): ValueKind<string> {
  return { type: "string", minLength: 1, examples: example ? [example] : undefined };
}

export function number(minimum: number, maximum?: number): ValueKind<number> {
  return { type: "number", minimum, maximum };
}

export function integer(minimum: number, maximum?: number): ValueKind<number> {
  return { type: "integer", minimum, maximum };
}

export function enumOf<const T extends string>(...values: readonly T[]): ValueKind<T> {
  return { enum: values };
}

export function listOf<T>(items: ValueKind<T>, example?: readonly NoInfer<T>[]): ValueKind<readonly T[]> {
  return { type: "array", items, examples: example && [example] };
}

export function mapOf<T>(
  additionalProperties: ValueKind<T>,
  example: Record<string, NoInfer<T>>,
): ValueKind<Readonly<Record<string, T>>> {
  return { type: "object", additionalProperties, examples: [example] };
}

/** An object with these fields and no others. */
export function object<F extends Record<string, ValueKind<unknown>>, R extends keyof F & string = never>(
  properties: F,
  { required, examples }: { required?: readonly R[]; examples?: readonly NoInfer<Fields<F, R>>[] } = {},
): ValueKind<Fields<F, R>> {
  return { type: "object", properties, required, additionalProperties: false, examples };
}

export function unionOf<A, B>(one: ValueKind<A>, other: ValueKind<B>): ValueKind<A | B> {
  return { anyOf: [one, other] };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether the value is valid. A field that is `undefined` counts as absent. */
export function accepts(schema: Schema, value: unknown): boolean {
  const { minLength = 0, minimum = -Infinity, maximum = Infinity, items = {} } = schema;
  if (schema.anyOf) return schema.anyOf.some((one) => accepts(one, value));
  if (schema.enum) return schema.enum.some((one) => one === value);
  if (schema.type === "string") return typeof value === "string" && value.length >= minLength;
  if (schema.type === "array") return Array.isArray(value) && value.every((item) => accepts(items, item));
  if (schema.type === "object") return isObject(value) && acceptsFields(schema, value);
  if (schema.type === "boolean") return typeof value === "boolean";
  if (schema.type === "integer" && !Number.isInteger(value)) return false;
  return typeof value === "number" && value >= minimum && value <= maximum;
}

function acceptsFields(schema: Schema, value: Readonly<Record<string, unknown>>): boolean {
  const { properties = {}, required = [], additionalProperties } = schema;
  return (
    required.every((name) => value[name] !== undefined) &&
    Object.entries(value).every(([name, field]) => {
      const expected = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      return field === undefined || (expected ? accepts(expected, field) : false);
    })
  );
}

/** The accepted values in words, for error messages and the documentation. */
export function acceptedValues({ type, enum: values, anyOf, items, examples, ...range }: Schema): string {
  if (anyOf) return anyOf.map(acceptedValues).join(", or ");
  if (values) return values.join(", ");
  if (items?.enum) return `a list of ${items.enum.join(", ")}`;
  if (type === "boolean") return "true or false";
  if (type === "number" || type === "integer") {
    const name = type === "number" ? "a number" : "a whole number";
    return `${name} from ${range.minimum}${range.maximum === undefined ? "" : ` to ${range.maximum}`}`;
  }
  const name = type === "array" ? "a list" : type === "object" ? "an object" : "a text";
  return `${name} such as ${examples?.map((example) => JSON.stringify(example)).join(" or ")}`;
}
