// Prints how large a home is that agents use for a year: agents, days and messages a day of each agent as arguments.

import { HomeInUse } from "./home-in-use.ts";

const [agents = 10, days = 365, messages = 40] = process.argv.slice(2).map(Number);
const home = new HomeInUse({ agents, messages, saves: 10 });
console.log(`${agents} agents, ${messages} messages a day each\n`);
console.log("| day | events | database | versions | sessions | whole home, MB |\n|---|---|---|---|---|---|");
for (let day = 1; day <= days; day++) {
  await home.spendDay();
  if (day % 73 !== 0 && day !== days) continue;
  const { database, versions, sessions, all } = home.size();
  const cells = [database, versions, sessions, all].map((each) => each.toFixed(1));
  console.log(`| ${day} | ${home.events} | ${cells.join(" | ")} |`);
}
home.close();
