/** `skills` learned skills with `versions` versions each, one skill after the other in every round of changes. */
export function writeHome(
  home: string,
  options: { readonly skills: number; readonly versions: number; readonly corpus?: string | undefined },
): void;
