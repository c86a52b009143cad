// Who may consent over MCP if the client cannot ask the person: nobody (`ask`) or the host (`host`).

export const CONSENT_APPROVALS = ["ask", "host"] as const;
export type ConsentApproval = (typeof CONSENT_APPROVALS)[number];
