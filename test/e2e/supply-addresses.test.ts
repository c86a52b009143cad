// Skills over https, over ssh and from private repositories, through the user's own git. The servers run here.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openRepertoire } from "../../src/engine/engine.ts";
import { isRepertoireError } from "../../src/model/errors.ts";
import { TestRepository } from "../git-repository.ts";
import { skillText, temporaryTree } from "../skill-tree.ts";

const SECRET = "hunter2-do-not-print";
const PASSWORD = `Basic ${Buffer.from(`me:${SECRET}`).toString("base64")}`;
const HAS_OPENSSL = spawnSync("openssl", ["version"]).status === 0;

function repository(): TestRepository {
  return new TestRepository({ "skills/pdf/SKILL.md": skillText("Extracts tables from PDF files.") });
}

/** An https server with a certificate of its own, which hands repositories out to those who sign in. */
async function serve(repositoryPath: string, { isPrivate }: { isPrivate: boolean }) {
  const folder = temporaryTree();
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  execFileSync(
    "openssl",
    [...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"], ...subject].concat(
      "-keyout",
      key,
      "-out",
      certificate,
    ),
    { stdio: "ignore" },
  );
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    (request, response) => {
      if (isPrivate && request.headers.authorization !== PASSWORD) {
        response.writeHead(401, { "www-authenticate": 'Basic realm="private"' }).end();
        return;
      }
      const { pathname, search } = new URL(request.url!, "https://localhost");
      const backend = spawn("git", ["http-backend"], {
        env: {
          ...process.env,
          GIT_PROJECT_ROOT: repositoryPath,
          GIT_HTTP_EXPORT_ALL: "1",
          GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
          PATH_INFO: pathname.replace(/^\/team\/skills\.git/, "/.git"),
          QUERY_STRING: search.slice(1),
          REQUEST_METHOD: request.method!,
          CONTENT_TYPE: request.headers["content-type"] ?? "",
          HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
        },
      });
      request.pipe(backend.stdin);
      const parts: Buffer[] = [];
      backend.stdout.on("data", (part: Buffer) => parts.push(part));
      backend.on("close", () => {
        const all = Buffer.concat(parts);
        const end = all.indexOf("\r\n\r\n");
        const headers = all
          .toString("latin1", 0, end)
          .split("\r\n")
          .map((line) => line.split(": ") as [string, string]);
        const status = Number(headers.find(([name]) => name === "Status")?.[1]?.slice(0, 3) ?? 200);
        for (const [name, value] of headers) if (name !== "Status") response.setHeader(name, value);
        response.writeHead(status).end(all.subarray(end + 4));
      });
    },
  );
  await listening(server);
  return { url: `https://localhost:${(server.address() as AddressInfo).port}/team/skills.git`, certificate };
}

async function listening(server: Server): Promise<void> {
  await new Promise<void>((settle) => server.listen(0, "localhost", settle));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
}

/** What was done, all that was said about it, and all that was written. */
async function added(address: string, env: Readonly<Record<string, string>>) {
  const [home, dir] = [temporaryTree(), temporaryTree()];
  const all = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: "1", ...env };
  const engine = openRepertoire({ home, dir, env: all, values: { "sources.bundled": false } });
  onTestFinished(() => engine.close());
  const said: string[] = [];
  let code = "";
  let names: string[] = [];
  try {
    const source = await engine.supply.open(address, { onProgress: (step) => said.push(step) });
    const offers = await source.offers();
    const { changed } = await engine.supply.take(source, offers, { agree: (each) => each });
    source.close();
    said.push(JSON.stringify(offers));
    names = changed.map(({ name }) => name);
  } catch (thrown) {
    if (!isRepertoireError(thrown)) throw thrown;
    code = thrown.code;
    said.push(thrown.message, JSON.stringify(thrown.value ?? ""));
  }
  const written = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
  return { code, names, said: said.join("\n"), written };
}

function helper(password: string): Record<string, string> {
  return {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "credential.helper",
    GIT_CONFIG_VALUE_0: `!f() { echo username=me; echo password=${password}; }; f`,
  };
}

describe.skipIf(!HAS_OPENSSL)("over https", () => {
  it("fetches from a server whose certificate the user's git knows, and from no other", async () => {
    const { url, certificate } = await serve(repository().path, { isPrivate: false });
    expect(await added(url, { GIT_SSL_CAINFO: certificate })).toMatchObject({ code: "", names: ["pdf"] });
    expect(await added(url, {})).toMatchObject({ code: "source-unreachable", names: [] });
  });

  it("signs in with the user's own credentials, and says and writes none of them", async () => {
    const { url, certificate } = await serve(repository().path, { isPrivate: true });
    const right = await added(url, { GIT_SSL_CAINFO: certificate, ...helper(SECRET) });
    expect(right).toMatchObject({ code: "", names: ["pdf"] });
    expect(right.said + right.written).not.toContain(SECRET);
    const wrong = await added(url, { GIT_SSL_CAINFO: certificate, ...helper(`wrong-${SECRET}`) });
    expect(wrong.code).toBe("source-unreachable");
    expect(wrong.said + wrong.written).not.toContain(SECRET);
    expect(await added(url, { GIT_SSL_CAINFO: certificate })).toMatchObject({ code: "source-unreachable" });
  });

  it("hides credentials that the user's git puts into the address", async () => {
    const { url, certificate } = await serve(repository().path, { isPrivate: true });
    const secretUrl = url.replace("https://", `https://me:wrong-${SECRET}@`);
    const { code, said, written } = await added(url, {
      GIT_SSL_CAINFO: certificate,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: `url.${secretUrl}.insteadOf`,
      GIT_CONFIG_VALUE_0: url,
    });
    expect(code).toBe("source-unreachable");
    expect(said + written).not.toContain(SECRET);
  });
});

it.each([
  `https://me:${SECRET}@example.test/team/skills.git`,
  `https://${SECRET}@example.test/team/skills.git`,
  `https://example.test/team/skills.git?private_token=${SECRET}`,
  `https://example.test/skills.zip?X-Amz-Signature=${SECRET}`,
  `ssh://me:${SECRET}@example.test/team/skills.git`,
])("refuses the secret in an address, and does not repeat it: %s", async (address) => {
  const { code, said, written } = await added(address, {});
  expect(code).toBe("source-secret");
  expect(said + written).not.toContain(SECRET);
});

describe("over ssh", () => {
  /** Takes the place of ssh: notes the host, and runs what it is asked to run here. */
  function ssh(): { command: string; log: string } {
    const folder = temporaryTree();
    const [command, log] = [join(folder, "ssh"), join(folder, "log")];
    writeFileSync(
      command,
      `#!/bin/sh\necho "$*" >> '${log}'\nfor last; do :; done\ncase "$*" in *denied.test*) echo "git@denied.test: Permission denied (publickey)." >&2; exit 255;; esac\neval "$last"\n`,
    );
    chmodSync(command, 0o755);
    return { command, log };
  }

  it.each([
    ["as git writes it", (path: string) => `git@code.test:${path}`],
    ["as an address", (path: string) => `ssh://git@code.test${path}`],
  ])("fetches through the user's own ssh, %s", async (_, address) => {
    const { command, log } = ssh();
    const { path } = repository();
    const result = await added(address(path), { GIT_SSH_COMMAND: command, GIT_SSH_VARIANT: "ssh" });
    expect(result).toMatchObject({ code: "", names: ["pdf"] });
    expect(readFileSync(log, "utf8")).toContain("git@code.test");
    expect(result.written).toContain(address(path));
  });

  it("says what to do if the key is not accepted", async () => {
    const { command } = ssh();
    const { code, said } = await added(`git@denied.test:${repository().path}`, {
      GIT_SSH_COMMAND: command,
      GIT_SSH_VARIANT: "ssh",
    });
    expect(code).toBe("source-unreachable");
    expect(said).toContain("git ls-remote");
  });
});
