// The hosts that the harness runs: which version, and how each is started without a person and without the internet.

/** What a host is started with. */
export interface Started {
  readonly message: string;
  /** The address of the fake model. */
  readonly model: string;
  readonly home: string;
  readonly project: string;
}

export interface Host {
  /** As `repertoire setup` names it. */
  readonly id: string;
  readonly title: string;
  readonly npm: string;
  readonly version: string;
  readonly bin: string;
  /** The version of Node that it needs, if ours is too old. */
  readonly node?: string | undefined;
  readonly args: (started: Started) => readonly string[];
  /** The same in a terminal, with a person in front of it. */
  readonly atTerminal?: ((started: Started) => readonly string[]) | undefined;
  /** What its screen shows once a message can be typed; undefined if it is started with the message. */
  readonly typesAfter?: RegExp | undefined;
  /** What it asks about each tool call by itself, whatever the tool, and the key that allows it. */
  readonly ownQuestion?: { readonly shows: RegExp; readonly yes: string } | undefined;
  /** The arguments that go on with the last session instead of a new one; undefined if it cannot without a person. */
  readonly goesOn?: ((started: Started) => readonly string[]) | undefined;
  readonly env?: ((started: Started) => Readonly<Record<string, string | undefined>>) | undefined;
  /** The tool with which its model runs commands, if it gets no tool of ours. */
  readonly shell?: string | undefined;
  /** The host's own settings, by path below the home folder: without them it would ask for a login, a model or trust in the project. */
  readonly files?: ((started: Started) => Readonly<Record<string, string>>) | undefined;
}

/** As hosts write it. */
const jsonText = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const HOSTS: readonly Host[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    npm: "@anthropic-ai/claude-code",
    version: "2.1.327",
    bin: "claude",
    args: ({ message }) => ["-p", message],
    atTerminal: ({ message }) => [message],
    goesOn: ({ message }) => ["-p", "--continue", message],
    env: ({ model }) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: "sk-ant-nobody",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
    files: ({ project }) => ({
      ".claude.json": jsonText({
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: ["sk-ant-nobody"], rejected: [] },
        projects: { [project]: { hasTrustDialogAccepted: true } },
      }),
    }),
  },
  {
    id: "codex",
    title: "Codex",
    npm: "@openai/codex",
    version: "0.169.0",
    bin: "codex",
    // Nobody is there to trust the hooks.
    args: ({ message }) => ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", message],
    atTerminal: ({ message }) => ["--dangerously-bypass-hook-trust", message],
    goesOn: ({ message }) => [
      "exec",
      "--skip-git-repo-check",
      "--dangerously-bypass-hook-trust",
      "resume",
      "--last",
      message,
    ],
    env: () => ({ OPENAI_API_KEY: "sk-nobody" }),
    files: ({ model, project }) => ({
      ".codex/config.toml": [
        'model = "gpt-5.5"',
        'model_provider = "fake"',
        "[model_providers.fake]",
        'name = "fake"',
        `base_url = "${model}/v1"`,
        'env_key = "OPENAI_API_KEY"',
        'wire_api = "responses"',
        `[projects.${JSON.stringify(project)}]`,
        'trust_level = "trusted"',
        "[notice.model_migrations]",
        '"gpt-5.5" = "gpt-6-sol"',
        "",
      ].join("\n"),
    }),
  },
  {
    id: "opencode",
    title: "opencode",
    npm: "opencode-ai",
    version: "1.18.33",
    bin: "opencode",
    args: ({ message }) => ["run", message],
    atTerminal: ({ message }) => ["--prompt", message],
    goesOn: ({ message }) => ["run", "--continue", message],
    env: ({ model }) => ({
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      ANTHROPIC_API_KEY: "sk-ant-nobody",
      ANTHROPIC_BASE_URL: `${model}/v1`,
    }),
    files: ({ model }) => ({
      ".config/opencode/opencode.json": jsonText({
        model: "fake/fake",
        provider: {
          fake: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${model}/v1`, apiKey: "nobody" },
            models: { fake: { tool_call: true, limit: { context: 200_000, output: 8_000 } } },
          },
        },
      }),
    }),
  },
  {
    id: "pi",
    title: "pi",
    npm: "@earendil-works/pi-coding-agent",
    version: "0.87.1",
    node: "22.23.3",
    bin: "pi",
    args: ({ message }) => ["-p", "--provider", "fake", "--model", "fake", message],
    goesOn: ({ message }) => ["-p", "--continue", "--provider", "fake", "--model", "fake", message],
    shell: "bash",
    env: () => ({ PI_OFFLINE: "1" }),
    files: ({ model, project }) => ({
      ".pi/agent/trust.json": jsonText({ [project]: true }),
      ".pi/agent/models.json": jsonText({
        providers: {
          fake: {
            baseUrl: `${model}/v1`,
            api: "openai-completions",
            apiKey: "nobody",
            models: [{ id: "fake", name: "fake", contextWindow: 200_000, maxTokens: 8_000 }],
          },
        },
      }),
    }),
  },
  {
    id: "gemini",
    title: "Gemini CLI",
    npm: "@google/gemini-cli",
    version: "0.61.0",
    bin: "gemini",
    args: ({ message }) => ["-p", message, "--skip-trust"],
    atTerminal: ({ message }) => ["-i", message, "--skip-trust"],
    goesOn: ({ message }) => ["--resume", "latest", "-p", message, "--skip-trust"],
    env: ({ model }) => ({ GOOGLE_GEMINI_BASE_URL: model, GEMINI_API_KEY: "nobody" }),
    files: () => ({
      ".gemini/settings.json": '{\n  "security": { "auth": { "selectedType": "gemini-api-key" } }\n}\n',
    }),
  },
  {
    id: "qwen",
    title: "Qwen Code",
    npm: "@qwen-code/qwen-code",
    version: "0.24.4",
    bin: "qwen",
    args: ({ message }) => ["-p", message, "--auth-type", "openai", "-m", "fake"],
    atTerminal: ({ message }) => ["-i", message, "--auth-type", "openai", "-m", "fake"],
    goesOn: ({ message }) => ["--continue", "-p", message, "--auth-type", "openai", "-m", "fake"],
    env: ({ model }) => ({ OPENAI_BASE_URL: `${model}/v1`, OPENAI_API_KEY: "nobody" }),
  },
  {
    id: "copilot",
    title: "Copilot CLI",
    npm: "@github/copilot",
    version: "1.0.102",
    bin: "copilot",
    args: ({ message }) => ["-p", message, "--allow-tool", "repertoire"],
    atTerminal: ({ message }) => ["-i", message],
    goesOn: ({ message }) => ["--continue", "-p", message, "--allow-tool", "repertoire"],
    env: ({ model }) => ({
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: "nobody",
      COPILOT_MODEL: "fake",
      COPILOT_OFFLINE: "true",
    }),
    files: ({ project }) => ({ ".copilot/config.json": jsonText({ trusted_folders: [project] }) }),
  },
  {
    id: "cline",
    title: "Cline",
    npm: "cline",
    version: "3.0.65",
    bin: "cline",
    args: ({ message }) => ["--auto-approve", "true", message],
    atTerminal: ({ message }) => ["--tui", message],
    // It takes the proxy for addresses of this machine, too.
    env: () => ({ HTTP_PROXY: undefined, HTTPS_PROXY: undefined }),
    files: ({ model }) => ({
      ".cline/data/settings/providers.json": jsonText({
        version: 1,
        lastUsedProvider: "openai-compatible",
        modes: {},
        providers: {
          "openai-compatible": {
            settings: {
              provider: "openai-compatible",
              apiKey: "nobody",
              model: "fake",
              baseUrl: `${model}/v1`,
            },
            updatedAt: "2026-01-01T00:00:00.000Z",
            tokenSource: "manual",
          },
        },
      }),
    }),
  },
  {
    id: "continue",
    title: "Continue",
    npm: "@continuedev/cli",
    version: "1.5.47",
    bin: "cn",
    args: ({ message, home }) => ["-p", message, "--config", `${home}/.continue/config.yaml`],
    // It sends a message that it is started with before its servers have started.
    atTerminal: ({ home }) => ["--config", `${home}/.continue/config.yaml`],
    typesAfter: /^ - repertoire/m,
    ownQuestion: { shows: /Would you like to continue\?/, yes: "Tab" },
    env: () => ({ CONTINUE_TELEMETRY_ENABLED: "0" }),
    files: ({ model }) => ({
      ".continue/config.yaml": [
        "name: fake",
        "version: 1.0.0",
        "schema: v1",
        "models:",
        "  - name: fake",
        "    provider: openai",
        "    model: fake",
        `    apiBase: ${model}/v1`,
        "    apiKey: nobody",
        "    roles: [chat]",
        "    capabilities: [tool_use]",
        "",
      ].join("\n"),
    }),
  },
];

/** The hosts that `npm run test:hosts` was asked for, all by default. */
export function chosenHosts(): readonly Host[] {
  const chosen = (process.env.REPERTOIRE_HOSTS ?? "").split(" ").filter((name) => name !== "");
  const unknown = chosen.find((name) => !HOSTS.some(({ id }) => id === name));
  if (unknown !== undefined)
    throw new Error(`There is no host "${unknown}". Hosts: ${HOSTS.map(({ id }) => id).join(", ")}.`);
  return HOSTS.filter(({ id }) => chosen.length === 0 || chosen.includes(id));
}
