// Owns the checks that configuration values share. Does not own any key.

export const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
export const isTextList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const isCount = (value: unknown) => Number.isInteger(value) && (value as number) > 0;
export const onlyKeys = (value: Record<string, unknown>, keys: readonly string[]) =>
  Object.keys(value).every((key) => keys.includes(key));
/** A text that is taken as it stands. */
export const same = (text: string) => text;
