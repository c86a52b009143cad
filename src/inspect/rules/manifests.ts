// Finds files that other programs act on by themselves: package manifests, editor tasks, agent settings.

import { excerptOf } from "../excerpt.ts";
import type { FindingSeverity, RuleFinding } from "../types.ts";

interface Manifest {
  readonly code: string;
  readonly name: RegExp;
  readonly severity: FindingSeverity;
  readonly why: string;
  readonly fix: string;
  /** What the file must have to be one, if its name alone does not say so. */
  readonly of?: RegExp;
  /** The part of the file that is acted on; the whole file by default. */
  readonly active?: RegExp;
}

const NETWORK_OR_SHELL =
  /\b(?:curl|wget|node -e|python[0-9.]{0,3} -c|ba?sh -c|base64|eval|iwr|iex|https?:\/\/|powershell|nc |child_process|npx -y)|\|\s?(?:ba)?sh\b/i;

/** A script that shows a message and does nothing else. */
const ONLY_PRINTS =
  /^"\w{1,20}"\s{0,9}:\s{0,9}"(?:echo [^"|;&$`]{0,400}|node -e \\"console\.log\((?:(?!require|fetch|import|process|exec|https?\.)[^"]|\\+"){0,500})"/;

const MANIFESTS: readonly Manifest[] = [
  {
    code: "manifest-install-script",
    name: /(?:^|\/)package\.json$/,
    severity: "medium",
    active:
      /"(?:preinstall|install|postinstall|prepare|preprepare|postprepare|prepublish)"\s{0,9}:\s{0,9}"[^"\n]{1,600}/,
    why: "Runs a script when its dependencies are installed.",
    fix: "Install with --ignore-scripts, or remove the script.",
  },
  {
    code: "manifest-foreign-dependency",
    name: /(?:^|\/)(?:package\.json|requirements[^/]{0,40}\.txt|pyproject\.toml|Pipfile)$/,
    severity: "medium",
    active:
      /"(?!url|homepage|repository|bugs|resolved|author|funding|\$schema|license|documentation)[^"\n]{1,80}"\s{0,9}:\s{0,9}"(?:https?:\/\/|git\+|git:)[^"\n]{1,300}|^(?:-i|--index-url|--extra-index-url|--trusted-host|git\+|https?:\/\/)[^\n]{1,300}|^[a-zA-Z0-9_.-]{1,60} ?@ ?(?:git\+|https?:\/\/)[^\n]{1,300}/m,
    why: "Installs a dependency from an address instead of the registry.",
    fix: "Depend on a published version.",
  },
  {
    code: "manifest-registry",
    name: /(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.yml)?|pip\.conf|\.pypirc|bunfig\.toml)$/,
    severity: "medium",
    active: /registry|index-url/i,
    why: "Contains its own setting for the package registry.",
    fix: "Remove the file.",
  },
  {
    code: "manifest-python-start",
    name: /\.pth$|(?:^|\/)(?:sitecustomize|usercustomize)\.py$/,
    severity: "high",
    why: "Runs whenever Python starts.",
    fix: "Remove the file.",
  },
  {
    code: "manifest-setup-script",
    name: /(?:^|\/)setup\.py$/,
    severity: "medium",
    of: /(?<![\w.])setup\(/,
    active: /\bcmdclass\b|\bos\.system\b|\bsubprocess\b|\burlopen\b|\brequests\.\w|\bexec\(/,
    why: "Runs code while it is being installed.",
    fix: "Use a declarative pyproject.toml.",
  },
  {
    code: "manifest-editor-task",
    name: /(?:^|\/)\.vscode\/(?:tasks|settings|launch)\.json$|(?:^|\/)\.idea\/workspace\.xml$/,
    severity: "medium",
    active: /folderOpen|"command"|"terminal\.integrated|autoApprove/i,
    why: "Configures the editor to run something.",
    fix: "Remove the file.",
  },
  {
    code: "manifest-agent-settings",
    name: /(?:^|\/)(?:\.claude\/settings(?:\.local)?\.json|\.mcp\.json|\.cursor\/mcp\.json|hooks\/hooks\.json|\.codex\/config\.toml|\.gemini\/settings\.json)$/,
    severity: "low",
    active: /"?(?:hooks|mcpServers|mcp_servers|permissions|command)"?/,
    why: "Contains its own agent settings: hooks, permissions or tool servers.",
    fix: "Check what it starts; move it out of the package if you want it.",
  },
  {
    code: "manifest-agent-orders",
    name: /(?:^|\/)(?:CLAUDE|AGENTS|GEMINI|SOUL|MEMORY)\.md$|(?:^|\/)\.(?:cursorrules|windsurfrules|clinerules)$/,
    severity: "low",
    why: "Contains instructions that an agent may read by itself.",
    fix: "Read it as carefully as the skill.",
  },
  {
    code: "manifest-folder-script",
    name: /(?:^|\/)\.(?:envrc|autoenv|bashrc|zshrc|profile|bash_profile|zshenv)$/,
    severity: "medium",
    why: "The shell runs it when it starts or enters the folder.",
    fix: "Remove the file.",
  },
];

export function manifestFindings(path: string, content: string): RuleFinding[] {
  const findings: RuleFinding[] = [];
  for (const manifest of MANIFESTS) {
    if (!manifest.name.test(path) || manifest.of?.test(content) === false) continue;
    const match = manifest.active ? manifest.active.exec(content) : undefined;
    if (manifest.active && !match) continue;
    const shown = match?.[0] ?? content.slice(0, 200);
    const acted = manifest.active ? content.slice(match!.index, match!.index + 800) : content;
    const severity =
      manifest.code === "manifest-install-script" && ONLY_PRINTS.test(acted)
        ? "low"
        : manifest.severity === "medium" &&
            (manifest.code === "manifest-folder-script"
              ? /\b(?:curl|wget|nc|base64)\b/
              : NETWORK_OR_SHELL
            ).test(manifest.code === "manifest-foreign-dependency" ? "" : acted)
          ? "high"
          : manifest.severity;
    const line = match ? content.slice(0, match.index).split("\n").length : undefined;
    findings.push({
      code: manifest.code,
      severity,
      path,
      ...(line === undefined ? {} : { line }),
      excerpt: excerptOf(shown),
      message: manifest.why,
      fix: manifest.fix,
    });
  }
  return findings;
}
