// Finds packages whose names look like popular ones: one letter more, less, other or swapped.

import { excerptOf } from "../excerpt.ts";
import type { Program } from "../program.ts";
import type { RuleFinding } from "../types.ts";

const POPULAR: Readonly<Record<"npm" | "pypi", readonly string[]>> = {
  npm: "react react-dom lodash express axios chalk commander webpack typescript eslint prettier moment dotenv mongoose nodemon puppeteer playwright cross-env body-parser jsonwebtoken socket.io underscore request bluebird async cheerio uuid rimraf minimist yargs inquirer colors debug babel-core next vue angular jquery electron discord.js openai langchain node-fetch tailwindcss postcss vite esbuild rollup jest mocha sequelize graphql prisma fastify winston nodemailer passport bcrypt ethers web3 ts-node nanoid dayjs date-fns formik redux zustand".split(
    " ",
  ),
  pypi: "requests numpy pandas flask django boto3 urllib3 setuptools python-dateutil pyyaml cryptography pillow scipy matplotlib tensorflow pytorch torch scikit-learn beautifulsoup4 selenium sqlalchemy pytest fastapi uvicorn pydantic httpx aiohttp openai anthropic langchain transformers colorama paramiko jinja2 click tqdm virtualenv psycopg2 pymongo redis celery opencv-python python-dotenv pycryptodome web3 playwright openpyxl lxml tensorboard streamlit gradio huggingface-hub tiktoken rich typer".split(
    " ",
  ),
};
/** Owners of many packages on npm. */
const SCOPES: readonly string[] =
  "anthropic-ai anthropic modelcontextprotocol openai google google-cloud microsoft angular babel types aws-sdk azure vercel playwright langchain supabase tanstack typescript-eslint octokit firebase sentry stripe cloudflare huggingface".split(
    " ",
  );
/** Real packages that happen to be close to a popular one. */
const REAL = new Set(
  "preact reacts axiom exprest moments color request-promise requests-cache numpydoc pandas-ta flasky djangorestframework boto boto3-stubs urllib uuid4 debugs asyncs yargs-parser vue3 nuxt vite-node jest-cli torchx click-log richer ky got redis-py rediss pydantic-ai httpx-sse web3js ether nest next-auth nexts colours pytest-cov pytests playwrite pillow-heif tensorflow-cpu tqdm4 typed aiohttp-cors lodash-es lodash.get chalk-cli gradio-client mypy pymysql ruff rust vitest viteste preset scapy fastai pytorch-lightning pydash psycopg pycryptodomex".split(
    " ",
  ),
);
const INSTALLS =
  /\b(?:((?:npm|pnpm|yarn|bun) (?:install|i|add|global add)|(?:npm exec|pnpm dlx|yarn dlx|npx|bunx))|((?:pip[0-9.]{0,4}|uv pip|uv|poetry|pipx|uv tool) (?:install|add)|(?:uvx|pipx run|uv tool run))) ((?:[@\w.=<>~^/-]{1,80}\s{0,2}){1,30})/g;

/** The findings for packages that a program installs. */
export function lookalikeFindings(programs: readonly Program[]): RuleFinding[] {
  const findings: RuleFinding[] = [];
  for (const program of programs) {
    if (program.language !== "shell") continue;
    for (const { code, line } of program.statements) {
      if (!/\b(?:npm|pnpm|yarn|bun|npx|bunx|pip|pip3|pipx|uv|uvx|poetry)\b/.test(code)) continue;
      for (const match of code.matchAll(INSTALLS)) {
        const registry = match[1] === undefined ? "pypi" : "npm";
        const words = match[3]!.split(/\s+/);
        const run = /(?:exec|dlx|npx|bunx|uvx|run)$/.test(match[1] ?? match[2]!);
        for (const word of run ? words.filter((each) => !each.startsWith("-")).slice(0, 1) : words) {
          const popular = lookalikeOf(word, registry);
          if (popular === undefined) continue;
          findings.push({
            code: "supply-look-alike",
            severity: program.described ? "low" : "medium",
            path: program.path,
            line,
            excerpt: excerptOf(code),
            message: `Installs "${excerptOf(word)}", whose name looks like the popular package "${popular}".`,
            fix: `Install "${popular}" if that is meant.`,
          });
        }
      }
    }
  }
  return findings;
}

function lookalikeOf(word: string, registry: "npm" | "pypi"): string | undefined {
  const name = word.toLowerCase().replace(/(?:[=<>~^].*|(?<=.)@.*)$/, "");
  const scope = registry === "npm" ? /^@([a-z][a-z0-9-]{4,40})\//.exec(name)?.[1] : undefined;
  if (scope !== undefined && !SCOPES.includes(scope)) {
    const known = SCOPES.find((popular) => isOneEditAway(scope, popular));
    return known && `@${known}`;
  }
  if (
    !/^[a-z][\w.-]{4,40}$/.test(name) ||
    name === "https" ||
    REAL.has(name) ||
    /\.(?:txt|toml|js|py|json|sh|whl|tgz)$/.test(name)
  )
    return undefined;
  const plain = name.replaceAll("_", "-");
  if (POPULAR.npm.includes(plain) || POPULAR.pypi.includes(plain)) return undefined;
  return POPULAR[registry].find((popular) => popular.length >= 5 && isOneEditAway(plain, popular));
}

/** Whether one letter more, less, other or swapped makes `a` into `b`; a digit or a plural is no disguise. */
function isOneEditAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a === b) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const left = a.slice(start, a.length - end);
  const right = b.slice(start, b.length - end);
  if (/^\d$/.test(left) && right === "" && end === 0) return false;
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
