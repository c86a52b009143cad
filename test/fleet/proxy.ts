// A connection to a server that can be cut, slowed down or left half-open.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** `open` passes everything on, `cut` refuses and ends, `silent` takes connections and says nothing, a number delays each part. */
type Line = "open" | "cut" | "silent" | number;

export async function startProxy(target: string) {
  const { hostname, port } = new URL(target);
  let line: Line = "open";
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    client.on("error", () => client.destroy());
    if (line === "cut") {
      client.destroy();
      return;
    }
    const upstream = connect(Number(port || 5432), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    const pass = (from: Socket, to: Socket) =>
      from.on("data", (part) => {
        if (line === "silent") return;
        if (typeof line === "number") setTimeout(() => to.write(part), line);
        else to.write(part);
      });
    pass(client, upstream);
    pass(upstream, client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    set(next: Line) {
      line = next;
      if (next === "cut") for (const socket of sockets) socket.destroy();
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
