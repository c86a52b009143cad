// The skills of the walk through the first design.

import { skillText } from "../../skill-tree.ts";

export const WEATHER = `---
name: weather-desk
description: Tells tomorrow's weather for a place.
domain: forecasting
triggers:
  - weather report
  - will it rain
  - umbrella
frames:
  - task
  - debug
tools:
  - forecast_get
  - map_show
requires:
  - WEATHER_DESK_KEY
---

# Weather desk

It was written in a hurry.

## When to use

For questions about the sky of the coming days.

## How it works

Call forecast_get with the place, then map_show.
`;
export const KEY = { WEATHER_DESK_KEY: "k" };
export const BREAD = skillText("Bakes sourdough bread: feeding the starter, proofing and scoring the loaf.");
const TRAINS = skillText("Plans train journeys with night trains and seat reservations.");
export const LIBRARY = {
  "p/skills/weather-desk/SKILL.md": WEATHER,
  "p/skills/bread/SKILL.md": BREAD,
  "p/skills/trains/SKILL.md": TRAINS,
};
/** Without meaning, skills of the same words have the same score. */
export const WORDS_ALONE = { "embedder.kind": "none", "recall.learn": false };
/** Two skills that nothing but their use tells apart. */
export const EQUALS = {
  "p/skills/alpha/SKILL.md": skillText("Looks after them.", "triggers: [plants]\n", "# Alpha\n\nOne way.\n"),
  "p/skills/omega/SKILL.md": skillText(
    "Looks after them.",
    "triggers: [plants]\n",
    "# Omega\n\nAnother quite different manner.\n",
  ),
};
