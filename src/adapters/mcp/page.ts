// Owns where a page of a long list begins. A cursor is a number that we handed out; any other is refused, as the protocol says.

import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";

export function pageStart(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "This cursor is none of ours. List again without one, and send the nextCursor of each answer.",
  );
}
