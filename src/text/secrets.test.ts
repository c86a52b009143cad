import { describe, expect, it } from "vitest";
import { growth, LINEAR } from "../../test/growth.ts";
import { redacted } from "./secrets.ts";

/** Made up, in the shape of the issuer; joined here, so that no scanner takes this file for a leak. */
const of = (...parts: readonly string[]) => parts.join("");
const RANDOM = "q7Zt1LmX9cVb3NpR5sKd8WfH2jGy4Q";
const HEX = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";

const KEYS: Readonly<Record<string, string>> = {
  "AWS access key": of("AKIA", "IOSFODNN7EXAMPLE"),
  "AWS session key": of("ASIA", "Y34FZKBOKMUTVV7A"),
  "AWS secret": of("wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYzEXAMPLEKEY1"),
  "GitHub token": of("ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"),
  "GitHub fine-grained token": of("github", "_pat_11ABCDE0Y0abcdefghijkl_mnopqrstuvwxyz0123456789"),
  "GitLab token": of("glpat", "-xA1bC2dE3fG4hI5jK6lM"),
  "Slack bot token": of("xoxb", "-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx"),
  "Slack webhook": of("https://hooks.slack.com", "/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"),
  "OpenAI key": of("sk", "-proj-", RANDOM, RANDOM),
  "Anthropic key": of("sk", "-ant-api03-", RANDOM, "-", RANDOM),
  "Google key": of("AIza", "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6q"),
  "Google OAuth token": of("ya29", ".a0AfH6SMBx1234567890abcdefghij"),
  "Stripe key": of("sk", "_live_", "4eC39HqLyjWDarjtT1zdp7dc"),
  "Stripe test key": of("rk", "_test_", "4eC39HqLyjWDarjtT1zdp7dc"),
  "JSON web token": of("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"),
  "npm token": of("npm", "_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"),
  "PyPI token": of("pypi", "-AgEIcHlwaS5vcmcCJDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAw"),
  "Hugging Face token": of("hf", "_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh"),
  "SendGrid key": of("SG", ".ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr"),
  "Shopify token": of("shpat", "_", HEX),
  "Vault token": of("hvs", ".CAESIJ1bC2dE3fG4hI5jK6lM7nO8pQ9"),
  "a key of nobody known": RANDOM,
};

describe("a message keeps no", () => {
  it.each([
    ["the shortest key that has a shape", of("xoxb", "-AbCdEfGhIj"), ""],
    [
      "value behind the longest name",
      of("credential", "-of-the-staging-server", `"] :  "hunter2"`),
      "hunter2",
    ],
    ["value behind a name in capitals", "MY_PASSWORD IS hunter2!", "hunter2"],
    ["value of a flag without another sign", "run it with --db-password hunter2now", "hunter2now"],
  ])("%s", (_, text, value) => {
    expect(redacted(`please ${text} now`)).toContain("[redacted]");
    if (value !== "") expect(redacted(`please ${text} now`)).not.toContain(value);
  });

  it.each(Object.entries(KEYS))("%s", (_, key) => {
    for (const text of [
      key,
      `use ${key} to deploy`,
      `"${key}"`,
      `(${key})`,
      `key:${key}\nnext`,
      `x=${key}&y=1`,
    ]) {
      const kept = redacted(text);
      expect(kept).toContain("[redacted]");
      expect(kept).not.toContain(key.slice(-12));
    }
  });

  it.each([
    ["password=hunter2", "password=[redacted]"],
    ["DB_PASSWORD=hunter2 npm start", "DB_PASSWORD=[redacted] npm start"],
    ['"api_key": "abc-def-ghi"', '"api_key": "[redacted]"'],
    ["client_secret = 'plain words'", "client_secret = '[redacted] words'"],
    ["AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG", "AWS_SECRET_ACCESS_KEY=[redacted]"],
    ["login with --password s3cret now", "login with --password [redacted] now"],
    ["the password is hunter2, ok?", "the password is [redacted], ok?"],
    ["Passwort: geheim123", "Passwort: [redacted]"],
    ["clone https://me:s3cr3t@example.com/x.git", "clone https://me:[redacted]@example.com/x.git"],
    ["postgres://app:pa55@db:5432/x", "postgres://app:[redacted]@db:5432/x"],
    ["Authorization: Bearer abc123def456ghi789", "Authorization: Bearer [redacted]"],
    ["Authorization: Basic dXNlcjpwYXNzd29yZA==", "Authorization: Basic [redacted]"],
    ["curl -u me:s3cret https://x", "curl -u me:[redacted] https://x"],
    [
      of("-----BEGIN RSA PRIVATE", " KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE", " KEY----- thanks"),
      "[redacted] thanks",
    ],
    [of("-----BEGIN OPENSSH PRIVATE", " KEY-----\nb3BlbnNzaC1r"), "[redacted]"],
    [
      of("-----BEGIN PGP PRIVATE", " KEY BLOCK-----\n\nlQOY\n-----END PGP PRIVATE", " KEY BLOCK-----"),
      "[redacted]",
    ],
  ])("%j", (text, kept) => {
    expect(redacted(text)).toBe(kept);
  });
});

it.each([
  "fix the failing test in src/adapters/hooks/setup/hosts.ts",
  "revert 67f0c2f and 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "md5 d41d8cd98f00b204e9800998ecf8427e",
  "the id is 123e4567-e89b-12d3-a456-426614174000",
  "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
  "![dot](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)",
  "call getElementsByTagNameAndClassName and CUDA_VISIBLE_DEVICES_COUNT_MAX_2",
  "com.example.service.impl.CustomerAccountServiceImplTest42",
  "my-very-long-branch-name-with-many-words-2024-11-18",
  "use a password manager; the token: string type is wrong",
  "password = os.environ['PW'], token=$TOKEN, secret: {{ secrets.X }}, api_key=<your-key>, pwd=***",
  "the secret is out, the token was lost, and the password is wrong",
  "const token = getToken(user)",
  "see https://example.com:8080/path?x=1 and git@github.com:me/x.git",
  "k8s pod nginx-deployment-7fb96c846b-8xk2m in us-east-1",
  "basic authentication of the bearer",
  "发送邮件给团队，谢谢你的帮助",
])("leaves %j as it is", (text) => {
  expect(redacted(text)).toBe(text);
});

it.each([
  "password",
  "-----BEGIN PRIVATE KEY-----",
  "://a:",
  "eyJaaaaaaaa.",
  "sk-",
  "aB3",
  "token is ",
  "--a-",
  "=",
  " ",
  "Bearer ",
])("takes time in proportion to the text, such as many %j", async (part) => {
  const work = (length: number) => {
    const text = part.repeat(length);
    return () => redacted(text);
  };
  expect(await growth(work, 20_000)).toBeLessThan(LINEAR);
});
