// Finds the external hosts that a text names.

// What is rare in them comes first, and what stands before it is looked for backwards: that is quicker.
const URL_LIKE =
  /(?<=\b(?:https?|wss?|ftps?|ssh|git|tcp|udp|stratum\+tcp|stratum\+ssl|ldap|smb|socks5?)):\/\/[^\s<>"'`|\\^(){}[\]]{1,300}/gi;
const GIT_REMOTE = /(?<=\bgit)@([a-z0-9.-]{3,100}):/gi;
const DEV_TCP = /\/dev\/(?:tcp|udp)\/([a-z0-9.-]{1,100})\//gi;
const NETCAT =
  /\b(?:nc|ncat|netcat|telnet)(?: -[a-z0-9]{1,8}){0,4} ([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,6}) [0-9]{2,5}\b/gi;
const REMOTE_COPY = /(?<=\b[a-z0-9_-]{1,32})@([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,6}):[~/.a-z]/gi;
const HERE =
  /^(?:localhost|.{1,63}\.localhost|0\.0\.0\.0|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1?\]|host\.docker\.internal)$/;
const NAME = /^(?:[a-z0-9_-]{1,63}\.)+[a-z0-9-]{2,63}$|^\[[0-9a-f:.]{2,45}\]$/;

/** The external hosts in URLs, git remotes, netcat calls and remote copies. */
export function hostsIn(text: string): string[] {
  const hosts = new Set<string>();
  if (text.includes("://")) for (const match of text.matchAll(URL_LIKE)) hosts.add(hostOf(match[0]));
  for (const expression of otherAddresses(text))
    for (const match of text.matchAll(expression)) hosts.add(match[1]!.toLowerCase());
  return [...hosts].filter((host) => NAME.test(host) && !HERE.test(host));
}

/** The expressions for addresses without a scheme that may match. */
function otherAddresses(text: string): RegExp[] {
  return [
    ...(text.includes("@") ? [GIT_REMOTE, REMOTE_COPY] : []),
    ...(/\/dev\//i.test(text) ? [DEV_TCP] : []),
    ...(/\bnc|netcat|telnet/i.test(text) ? [NETCAT] : []),
  ];
}

function hostOf(address: string): string {
  const web = `http${address}`.replace(/[.,;:!?*_~]+$/, "");
  return URL.canParse(web) ? new URL(web).hostname.replace(/\.$/, "") : "";
}
