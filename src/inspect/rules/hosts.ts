// Classifies hosts: known installers, services where anybody can publish, and bare IP addresses.

/** Official installers of widely used tools. */
const KNOWN_INSTALLERS =
  /(?:https?:\/\/)?(?:[a-z0-9-]{1,30}\.)?(?<![\w-])(?:rustup\.rs|docker\.com|astral\.sh|bun\.(?:sh|com)|deno\.(?:land|com)|sdkman\.io|nixos\.org|determinate\.systems|nodesource\.com|python-poetry\.org|ollama\.(?:com|ai)|fly\.io|pnpm\.io|claude\.ai|anthropic\.com|cursor\.com|helm\.sh|sentry\.io|mise\.run|mise\.jdx\.dev|starship\.rs|paradigm\.xyz|github\.com\/cli|microsoft\.com|aka\.ms|google\.com|amazonaws\.com|amazon\.com|tailscale\.com|k3s\.io|volta\.sh|gitlab\.com|duckdb\.org|temporal\.download|railway\.(?:app|com)|supabase\.com|pixi\.sh|just\.systems|stripe\.com|vercel\.com|netlify\.com|render\.com|heroku\.com|hashicorp\.com|pulumi\.com|grafana\.com|datadoghq\.com|elastic\.co|mongodb\.(?:com|org)|cloudflare\.com|expo\.dev|flutter\.dev|dart\.dev|brew\.sh|chocolatey\.org|scoop\.sh|haskell\.org|julialang\.org|rvm\.io|ghcup\.haskell\.org|solana\.com|anza\.xyz|aptos\.dev|sui\.io|starkup\.dev|huggingface\.co|openai\.com|opencode\.ai|nvidia\.com|apple\.com|ubuntu\.com|debian\.org|mozilla\.org|semgrep\.dev|snyk\.io|codecov\.io|circleci\.com|buildkite\.com|warp\.dev|zed\.dev|modal\.com|wasmtime\.dev|wasmer\.io|moonrepo\.dev|gradle\.org|sh\.rustup|istio\.io|linkerd\.io|cilium\.io|fluxcd\.io|argoproj\.io|ngrok\.com|neon\.tech|planetscale\.com|turso\.tech|convex\.dev|encore\.dev|dapr\.io|nextflow\.io|rclone\.org|tigris\.dev|blaxel\.ai|e2b\.dev|daytona\.io|chezmoi\.io|openclaw\.ai|doppler\.com|foundry\.paradigm\.xyz)\b(?![.-][a-z0-9])|raw\.githubusercontent\.com\/(?:homebrew|nvm-sh|helm|aquasecurity|anchore|golangci|rust-lang|astral-sh|ohmyzsh|pyenv|rbenv|asdf-vm|kubernetes-sigs|kubernetes|k3d-io|oven-sh|docker|microsoft|github|google|trufflesecurity|gitleaks|aws|azure|hashicorp|foundry-rs|denoland|casey|jdx|dotnet|apache|grafana|open-telemetry|vercel|supabase|tilt-dev|derailed|zaproxy|projectdiscovery)\//;

/** Paste, file-sharing, tunnel and link-shortening services: their content can change at any time. */
const ANYBODYS =
  /\b(?:pastebin\.com|rentry\.(?:co|org)|glot\.io|hastebin\.com|paste\.ee|dpaste\.(?:com|org)|ix\.io|termbin\.com|sprunge\.us|transfer\.sh|0x0\.st|file\.io|gofile\.io|anonfiles\.com|catbox\.moe|temp\.sh|bashupload\.com|oshi\.at|bit\.ly|tinyurl\.com|t\.ly|is\.gd|cutt\.ly|shorturl\.at|rb\.gy|goo\.gl|webhook\.site|requestbin\.(?:com|net)|pipedream\.net|requestcatcher\.com|beeceptor\.com|hookbin\.com|interact\.sh|oast\.(?:fun|live|me|online|pro|site)|oastify\.com|burpcollaborator\.net|dnslog\.cn|canarytokens\.(?:com|org)|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|serveo\.net|localhost\.run|loca\.lt|localtunnel\.me|bore\.pub|discord(?:app)?\.com\/api\/webhooks|api\.telegram\.org\/bot|cdn\.discordapp\.com|mediafire\.com|mega\.nz|gist\.githubusercontent\.com|duckdns\.org|no-ip\.(?:org|com)|\.onion\b)/;

const NAMELESS =
  /https?:\/\/(?:[^\s/@]{1,60}@)?(?!127\.|10\.|192\.168\.|172\.(?:1[6-9]|2[0-9]|3[01])\.|0\.0\.0\.0|169\.254\.|1\.2\.3\.4|x\.)(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9]{8,10}|0x[0-9a-f]{8})\b/;

const UNENCRYPTED = /\bhttp:\/\/(?!localhost|127\.|0\.0\.0\.0|\[::|10\.|192\.168\.|host\.docker|\$|<|\{)/;

/** An address of the form `https://trusted.name@real.host/`. */
export const DISGUISED_ADDRESS =
  /https?:\/\/[a-z0-9.-]{3,80}\.[a-z]{2,10}(?::[^\s@/]{0,40})?@[a-z0-9.-]{3,80}/;

export const isKnownInstaller = (text: string): boolean => KNOWN_INSTALLERS.test(text);
export const isAnybodys = (text: string): boolean => ANYBODYS.test(text);
export const isNameless = (text: string): boolean => NAMELESS.test(text);

/** Whether a command names an origin that makes a download dangerous. */
export const isShadyOrigin = (text: string): boolean =>
  ANYBODYS.test(text) ||
  NAMELESS.test(text) ||
  UNENCRYPTED.test(text) ||
  DISGUISED_ADDRESS.test(text) ||
  hasSinisterHost(text);

/** Where a statement connects to, from harmless to dangerous: `unknown` if it depends on input, `plain` for any other host. */
export type Destination = "local" | "vendor" | "unknown" | "plain" | "shady";

/** Services that skills are written for; data reaches them because the user has an account there. */
const VENDORS =
  /^(?:[a-z0-9-]{1,60}\.){0,4}(?:openai\.com|anthropic\.com|googleapis\.com|google\.com|github\.com|githubusercontent\.com|gitlab\.com|bitbucket\.org|slack\.com|notion\.com|notion\.so|linear\.app|figma\.com|atlassian\.(?:com|net)|amazonaws\.com|azure\.com|azure\.net|windows\.net|microsoft\.com|microsoftonline\.com|office\.com|cloudflare\.com|vercel\.com|stripe\.com|twilio\.com|sendgrid\.(?:com|net)|huggingface\.co|replicate\.com|pypi\.org|pypa\.io|npmjs\.(?:org|com)|ncbi\.nlm\.nih\.gov|ebi\.ac\.uk|wikipedia\.org|wikimedia\.org|x\.ai|mistral\.ai|cohere\.(?:com|ai)|groq\.com|perplexity\.ai|openrouter\.ai|deepseek\.com|elevenlabs\.io|exa\.ai|tavily\.com|brave\.com|serper\.dev|firecrawl\.dev|supabase\.(?:co|com)|airtable\.com|hubapi\.com|hubspot\.com|salesforce\.com|shopify\.com|asana\.com|trello\.com|todoist\.com|discord\.com|spotify\.com|twitter\.com|x\.com|reddit\.com|facebook\.com|linkedin\.com|youtube\.com|zoom\.us|dropbox(?:api)?\.com|box\.com|datadoghq\.com|sentry\.io|posthog\.com|mixpanel\.com|segment\.(?:com|io)|pagerduty\.com|circleci\.com|docker\.(?:com|io)|crates\.io|rubygems\.org|arxiv\.org|semanticscholar\.org|crossref\.org|nasa\.gov|weather\.gov|openweathermap\.org|coingecko\.com|binance\.com|etherscan\.io|infura\.io|alchemy\.com|nvidia\.com|apple\.com|ollama\.(?:com|ai)|modal\.com|fly\.io|netlify\.com|heroku\.com|mongodb\.(?:com|net)|pinecone\.io|apify\.com|browserbase\.com|uipath\.com|ifconfig\.me|ipify\.org|feishu\.cn|larksuite\.com|larkoffice\.com|dingtalk\.com|aliyuncs\.com|aliyun\.com|baidu\.com|baidubce\.com|qq\.com|tencentcloudapi\.com|myqcloud\.com|volces\.com|bytedance\.com|bilibili\.com|moonshot\.(?:cn|ai)|bigmodel\.cn|siliconflow\.(?:cn|com)|minimaxi?\.(?:com|io|chat)|z\.ai|zhihu\.com|virustotal\.com|abuseipdb\.com|shodan\.io|haveibeenpwned\.com|any\.run|nvd\.nist\.gov|nist\.gov|nih\.gov|telnyx\.com|resend\.com|mailgun\.net|postmarkapp\.com|brevo\.com|calendly\.com|intercom\.io|zendesk\.com|clickup\.com|monday\.com|jina\.ai|together\.(?:ai|xyz)|fireworks\.ai|deepgram\.com|assemblyai\.com|stability\.ai|runwayml\.com|fal\.(?:ai|run)|runpod\.io|langchain\.com|langfuse\.com|wandb\.ai|kaggle\.com|databricks\.com|snowflakecomputing\.com|planetscale\.com|neon\.tech|upstash\.io|cloudinary\.com|pexels\.com|unsplash\.com|pixabay\.com|giphy\.com|tiktok\.com|pinterest\.com|instagram\.com|threads\.net|bsky\.social|mastodon\.social|medium\.com|wordpress\.com|ghost\.io|substack\.com|webflow\.com|paypal\.com|alpaca\.markets|polygon\.io|finnhub\.io|alphavantage\.co|coinbase\.com|kraken\.com|okx\.com|bybit\.com|home-assistant\.io|strava\.com|fitbit\.com|garmin\.com|oura(?:ring)?\.com|semrush\.com|ahrefs\.com|dataforseo\.com|serpapi\.com|browserless\.io|scrapingbee\.com|deepl\.com|wolframalpha\.com)$/;

/** Names that only a test or an attacker gives to a server. */
const SINISTER =
  /(?:^|[.-])(?:evil|attackers?|malicious|malware|exfil(?:trat\w{0,6})?|c2|c2-?server|cnc|stealer|steal|hackers?|hacked|backdoor|phish(?:ing)?|rogue|adversary|botnet|badguy|bad-?actor|threat-?actor|keylog\w{0,4}|hostile|payloads?|pwned|pwn|darknet|villain)\d{0,3}(?=[.-]|$)/;
const HOST =
  /\b(?:https?|wss?|ftps?|tcp|udp):\/\/(?:[^\s/@"']{1,80}@)?([a-z0-9_.-]{1,120}|\[[0-9a-f:]{2,45}\])|\/dev\/(?:tcp|udp)\/([a-z0-9_.-]{1,120})|\b(?:nc|ncat|netcat|telnet)(?: -[a-z0-9]{1,8}){0,4} ([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,5})|[\w-]{1,40}@([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,5}):|\(\s?\(\s?["']([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,5})["']\s?,\s?\d|\b((?:[a-z0-9-]{1,63}\.){1,4}(?:com|net|org|io|sh|xyz|top|ru|cn|site|online|dev|app|info|tk|me))\b/g;
const HERE =
  /^(?:localhost|0\.0\.0\.0|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]|host\.docker\.internal|10\.\d{1,3}\.\d{1,3}\.\d{1,3}|192\.168\.\d{1,3}\.\d{1,3}|169\.254\.\d{1,3}\.\d{1,3}|[a-z0-9.-]{1,60}\.(?:local|internal|localhost|lan))$/;

export function hasSinisterHost(text: string): boolean {
  return [...text.matchAll(/\/\/([a-z0-9.-]{3,120})/g)].some((match) => SINISTER.test(match[1]!));
}

export function destinationOf(code: string): Destination {
  const text = code.toLowerCase();
  if (ANYBODYS.test(text) || NAMELESS.test(text) || DISGUISED_ADDRESS.test(text)) return "shady";
  const hosts = new Set<string>();
  for (const match of text.slice(0, 8_000).matchAll(HOST))
    hosts.add(match.slice(1).find((host) => host !== undefined)!);
  if (hosts.size === 0) return "unknown";
  const outside = [...hosts].filter((host) => !HERE.test(host));
  if (outside.length === 0) return "local";
  if (outside.some((host) => SINISTER.test(host) || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host))) return "shady";
  return outside.every((host) => VENDORS.test(host) || KNOWN_INSTALLERS.test(host)) ? "vendor" : "plain";
}

/** Whether a secret is named after the server: `GITHUB_TOKEN` belongs to api.github.com. */
export function belongsTo(secret: string, hosts: readonly string[]): boolean {
  const words = secret
    .split("_")
    .filter(
      (word) =>
        word.length >= 3 &&
        !/^(?:api|key|token|secret|password|access|private|auth|credentials?|user|bot|prod|test|dev|app|client|url|database)$/.test(
          word,
        ),
    );
  if (/(?:bot|telegram|tg)_/.test(secret) && hosts.some((host) => host.endsWith("telegram.org"))) return true;
  return hosts.some((host) => words.some((word) => host.replaceAll("-", "").includes(word)));
}

/** Whether the skill itself speaks of the server that a command names: `get.foo.dev` in a skill about foo. */
export function isOwnHost(command: string, told: string | undefined): boolean {
  if (told === undefined) return false;
  const names = [...command.matchAll(/https?:\/\/([a-z0-9.-]{3,100})((?:\/[\w.-]{1,60}){0,2})/g)].flatMap(
    (match) => {
      const site = match[1]!.split(".").at(-2) ?? "";
      return /github|gitlab|bitbucket|cloudsmith|jsdelivr|unpkg/.test(site) ? match[2]!.split("/") : [site];
    },
  );
  const words = told.replace(/[^a-z0-9]/g, "");
  return names.some((name) => {
    const word = name.replace(/[^a-z0-9]/g, "");
    return word.length >= 3 && countOf(word.length >= 8 ? words : told, word) >= 2;
  });
}

function countOf(text: string, word: string): number {
  let count = 0;
  for (let at = text.indexOf(word); at >= 0 && count < 3; at = text.indexOf(word, at + word.length)) count++;
  return count;
}
