// The categories of findings: the OWASP Agentic Skills Top 10 (edition of June 2026), and which rule belongs to which.

/** The ten risks. AST09 and AST10 are about organisations and registries; nothing in a package can show them. */
export const CATEGORIES = {
  AST01: "Malicious Skills",
  AST02: "Supply Chain Compromise",
  AST03: "Over-Privileged Skills",
  AST04: "Insecure Metadata",
  AST05: "Untrusted External Instructions",
  AST06: "Weak Isolation",
  AST07: "Update Drift",
  AST08: "Poor Scanning",
  AST09: "No Governance",
  AST10: "Cross-Platform Reuse",
} as const;

export type Category = keyof typeof CATEGORIES;

/** A rule's code, or the family that its code starts with. The longest entry wins. */
const BY_CODE: Readonly<Record<string, Category>> = {
  // The author wants harm: orders to the agent, theft, damage, a way back in.
  injection: "AST01",
  prose: "AST01",
  theft: "AST01",
  flow: "AST01",
  foothold: "AST01",
  destruction: "AST01",
  // Code from elsewhere, or code that nobody can read.
  download: "AST02",
  supply: "AST02",
  manifest: "AST02",
  "file-program": "AST02",
  "file-bytecode": "AST02",
  "file-archive": "AST02",
  "file-launcher": "AST02",
  "file-macros": "AST02",
  // More rights than the task needs.
  privilege: "AST03",
  "manifest-agent-settings": "AST03",
  "manifest-agent-orders": "AST03",
  // A name or a description that does not say what is inside.
  claim: "AST04",
  "file-false-name": "AST04",
  "file-two-extensions": "AST04",
  "file-name-unsafe": "AST04",
  // Instructions that are not in the package.
  "injection-remote-instructions": "AST05",
  "prose-remote": "AST05",
  // Ways out of the package's folder or of a sandbox.
  file: "AST06",
  "privilege-host-access": "AST06",
  "privilege-guard-off": "AST06",
  // Code that can change after a review.
  "supply-unpinned": "AST07",
  // Text that a review would not see, or that tells a review what to say.
  characters: "AST08",
  obfuscation: "AST08",
  "injection-reviewer": "AST08",
  "prose-reviewer": "AST08",
  "file-not-opened": "AST08",
};

/** The category of a rule, or undefined if its family is not in the table. */
export function categoryOf(code: string): Category | undefined {
  for (let end = code.length; end > 0; end = code.lastIndexOf("-", end - 1)) {
    const category = BY_CODE[code.slice(0, end)];
    if (category) return category;
  }
  return undefined;
}
