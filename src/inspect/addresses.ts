// Finds the external hosts that a text names.

const SCHEME = /\b(?:https?|wss?|ftps?|ssh|git|tcp|udp|stratum\+tcp|stratum\+ssl|ldap|smb|socks5?)$/i;
const AFTER_SCHEME = /:\/\/[^\s<>"'`|\\^(){}[\]]{1,300}/y;
const GIT_USER = /\bgit$/i;
const AFTER_GIT = /@([a-z0-9.-]{3,100}):/iy;
const USER = /\b[a-z0-9_-]{1,32}$/i;
const AFTER_USER = /@([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,6}):[~/.a-z]/iy;
const DEV_TCP = /\/dev\/(?:tcp|udp)\/([a-z0-9.-]{1,100})\//gi;
const NETCAT =
  /\b(?:nc|ncat|netcat|telnet)(?: -[a-z0-9]{1,8}){0,4} ([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,6}) [0-9]{2,5}\b/gi;
const HERE =
  /^(?:localhost|.{1,63}\.localhost|0\.0\.0\.0|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1?\]|host\.docker\.internal)$/;
const NAME = /^(?:[a-z0-9_-]{1,63}\.)+[a-z0-9-]{2,63}$|^\[[0-9a-f:.]{2,45}\]$/;

/** The external hosts in URLs, git remotes, netcat calls and remote copies. */
export function hostsIn(text: string): string[] {
  const hosts = new Set<string>();
  for (const match of around(text, SCHEME, "://", AFTER_SCHEME)) hosts.add(hostOf(match[0]));
  for (const match of around(text, GIT_USER, "@", AFTER_GIT)) hosts.add(match[1]!.toLowerCase());
  for (const match of around(text, USER, "@", AFTER_USER)) hosts.add(match[1]!.toLowerCase());
  if (/\/dev\//i.test(text)) for (const match of text.matchAll(DEV_TCP)) hosts.add(match[1]!.toLowerCase());
  if (/\bnc|netcat|telnet/i.test(text))
    for (const match of text.matchAll(NETCAT)) hosts.add(match[1]!.toLowerCase());
  return [...hosts].filter((host) => NAME.test(host) && !HERE.test(host));
}

/** More characters than the longest thing before a mark, and one for the edge of its word. */
const BEFORE = 34;

/** The matches of `after`, which starts with `mark`, where `before` matches what stands before it: quicker than one expression. */
function* around(text: string, before: RegExp, mark: string, after: RegExp): Generator<RegExpExecArray> {
  for (let at = text.indexOf(mark); at >= 0; ) {
    after.lastIndex = at;
    const match = before.test(text.slice(Math.max(0, at - BEFORE), at)) ? after.exec(text) : null;
    if (match) yield match;
    at = text.indexOf(mark, at + (match?.[0].length ?? mark.length));
  }
}

function hostOf(address: string): string {
  const web = `http${address}`.replace(/[.,;:!?*_~]+$/, "");
  return URL.canParse(web) ? new URL(web).hostname.replace(/\.$/, "") : "";
}
