// Knows which products do the same job, so that a message about one of them does not recall a skill for another.

import { tokenize } from "../text/tokens.ts";

/**
 * A line for each job: the products that do it, one instead of the other. A name with "~" is also an ordinary word: a skill may
 * have it as its product, but a message that has the word need not mean the product.
 */
const JOBS = `
aws, amazon web services, azure, gcp, google cloud, gcloud, gsutil, digitalocean, hetzner, linode, oracle cloud, ovh, scaleway, alibaba cloud, ibm cloud
vercel, netlify, cloudflare, heroku, ~render, ~railway, fly.io, github pages, gitlab pages, firebase hosting, hetzner, dokku, coolify, surge.sh
s3, google cloud storage, azure blob, backblaze, wasabi, minio
postgres, postgresql, mysql, mariadb, sqlite, sql server, mssql, oracle database, mongodb, dynamodb, cassandra, cockroachdb, couchdb, firestore, neo4j
snowflake, bigquery, redshift, databricks, clickhouse, duckdb, synapse
redis, memcached, valkey
pinecone, weaviate, qdrant, milvus, ~chroma, chromadb, pgvector
supabase, firebase, appwrite, pocketbase, ~convex
prisma, drizzle, typeorm, sequelize, mikro-orm, sqlalchemy, hibernate, entity framework, activerecord, django orm
kafka, rabbitmq, nats, sqs, ~pulsar, activemq, pubsub
docker, podman, containerd
kubernetes, ~nomad, docker swarm, ecs
docker compose, kubernetes, ~nomad
terraform, opentofu, pulumi, cloudformation, cdk, bicep, ansible, ~chef, ~puppet
ansible, ~chef, ~puppet, saltstack
nginx, apache httpd, ~caddy, traefik, haproxy, ~envoy, iis
github actions, gitlab ci, circleci, jenkins, buildkite, travis, azure pipelines, teamcity, woodpecker, drone ci, bitbucket pipelines
github, gitlab, bitbucket, gitea, forgejo, azure devops
git, mercurial, subversion, svn, perforce
jira, ~linear, asana, trello, clickup, monday.com, basecamp, youtrack, shortcut.com, github issues, github issue, redmine
~confluence, ~notion, ~obsidian, sharepoint, coda.io, evernote, ~roam, logseq, onenote, bear notes, apple notes, google keep
~slack, discord, telegram, whatsapp, microsoft teams, ms teams, mattermost, ~signal messenger, imessage, rocket.chat, matrix.org, google chat
bluesky, mastodon, twitter, threads.net, linkedin, instagram, facebook, tiktok, reddit, pinterest, tumblr, snapchat
spotify, apple music, youtube music, ~tidal, deezer, soundcloud, last.fm
vlc, mpv, spotify, plex, jellyfin, kodi, emby, quicktime
youtube, vimeo, twitch, peertube, dailymotion
gmail, outlook, fastmail, protonmail, thunderbird, apple mail
google calendar, outlook calendar, apple calendar, calendly, cal.com
sendgrid, mailgun, postmark, resend, amazon ses, mailchimp, brevo, klaviyo, convertkit
google drive, dropbox, onedrive, box.com, icloud, nextcloud
google sheets, excel, airtable, smartsheet, libreoffice calc, apple numbers
google docs, microsoft word, libreoffice writer, apple pages
office scripts, office script, google apps script, apps script, vba
powerpoint, keynote, google slides, reveal.js, marp, slidev
zoom.us, google meet, webex, jitsi
hubspot, salesforce, pipedrive, zoho, attio, dynamics 365, close.com
zendesk, intercom, freshdesk, helpscout, front app
~stripe, paypal, adyen, braintree, ~square payments, paddle, lemon squeezy, klarna, mollie
shopify, woocommerce, magento, bigcommerce, prestashop, squarespace, wix
wordpress, ghost cms, drupal, kirby, contentful, sanity.io, strapi, webflow, squarespace, wix, joomla, payload cms
hugo, jekyll, eleventy, astro, gatsby, docusaurus, mkdocs, hexo, pelican
next.js, nextjs, nuxt, ~remix, sveltekit, astro, gatsby, solidstart
react, vue, svelte, angular, solidjs, preact, ember.js, lit element
react native, flutter, swiftui, jetpack compose, ~ionic, xamarin, kotlin multiplatform
redux, zustand, mobx, jotai, pinia, recoil
tailwind, ~bootstrap, bulma, material ui, chakra, shadcn
webpack, vite, ~rollup, esbuild, ~parcel, turbopack
turborepo, nx, lerna, rush.js, bazel
npm, pnpm, ~yarn, ~bun
pip, ~poetry, uv, conda, pipenv
jest, vitest, ~mocha, ~jasmine
pytest, unittest
playwright, cypress, selenium, puppeteer, webdriverio, testcafe
junit, testng
eslint, biome, prettier
express.js, fastify, nestjs, koa, hono
django, ~flask, fastapi, rails, laravel, spring boot, quarkus, micronaut, symfony, phoenix framework, asp.net
laravel, symfony, codeigniter, rails, django
zod, pydantic, joi, ~yup, valibot, marshmallow
pandas, polars, dask, duckdb
streamlit, gradio, dash plotly, ~shiny, panel holoviz
d3, d3.js, chart.js, plotly, echarts, vega, matplotlib, seaborn, ggplot, highcharts, pixijs, three.js
three.js, threejs, babylon.js, pixijs, phaser, ~unity, unreal, godot
~unity, unreal, godot, gamemaker, phaser
blender, ~maya, cinema 4d, ~houdini, sketchup, zbrush, 3ds max
photoshop, lightroom, gimp, affinity photo, ~illustrator, figma, ~sketch app, inkscape, canva, indesign, capture one, ~procreate, pixelmator
figma, adobe xd, ~sketch app, penpot, framer, invision, canva
mermaid, plantuml, graphviz, visio, draw.io, drawio, excalidraw, lucidchart, structurizr
~premiere, final cut, davinci resolve, imovie, capcut, after effects
ffmpeg, handbrake
ableton, logic pro, fl studio, garageband, reaper daw, pro tools
tensorflow, pytorch, jax, keras
langchain, llamaindex, haystack, autogen, crewai, langgraph, semantic kernel, dspy, pydanticai
openai, anthropic, gemini, mistral, cohere, grok
chatgpt, claude, gemini, copilot, perplexity
vllm, llama.cpp, ollama, tgi, sglang, lm studio
cursor ide, windsurf, claude code, copilot, codex, aider, zed editor
grafana, datadog, new relic, kibana, dynatrace, splunk, honeycomb.io
prometheus, datadog, new relic, nagios, zabbix, influxdb
sentry, bugsnag, rollbar, datadog, new relic, crashlytics
google analytics, plausible, mixpanel, ~amplitude, posthog, matomo
power bi, tableau, ~looker, metabase, superset, qlik
airflow, dagster, ~prefect, ~luigi
dbt, sqlmesh
zapier, make.com, n8n, power automate, ifttt
auth0, okta, ~clerk, cognito, keycloak, firebase auth
twilio, vonage, plivo, messagebird
restic, borg, borgbackup, duplicati, rclone, time machine, veeam, kopia
tailscale, headscale, wireguard, openvpn, zerotier, nordvpn
crowdsec, fail2ban
snort, suricata, zeek
namecheap, godaddy, porkbun, cloudflare dns, route53, gandi, ionos, squarespace domains
cloudflare, fastly, akamai, cloudfront
iterm2, iterm, ghostty, kitty terminal, alacritty, wezterm, windows terminal, warp terminal
tmux, zellij, gnu screen
vim, neovim, emacs, vs code, vscode, intellij, pycharm, sublime, xcode, android studio
raycast, ~alfred, ~spotlight
~just, justfile, makefile, taskfile, gulp, grunt
macos, ~windows, ubuntu, debian, fedora, arch linux
ios, android
iphone, android
arduino, esp32, raspberry pi, stm32, micro:bit
home assistant, homekit, openhab, alexa, google home
todoist, things 3, ticktick, microsoft to do, apple reminders, omnifocus
kindle, kobo
uipath, automation anywhere, blue prism, power automate
~sap, oracle netsuite, odoo, dynamics 365, ~workday
quickbooks, xero, datev, freshbooks, lexoffice, sage accounting
bamboohr, personio, ~workday, greenhouse ats
moodle, canvas lms, blackboard
latex, typst
pandoc, docling
jupyter, google colab, ~observable
matlab, ~octave, mathematica
r studio, rstudio, spss, stata
powershell, bash, zsh, fish shell
java, kotlin, scala, python, javascript, typescript, ruby, php, ~rust, golang, c#, csharp, c++, ~swift, elixir, haskell, perl, lua, ~dart, clojure, cobol, fortran
ethereum, solana, bitcoin, cardano
solidity, vyper, move lang
trakt, imdb, tmdb, letterboxd, thetvdb
~fireflies, otter.ai, zoom transcripts, gong.io
docusign, adobe sign, hellosign
apollo.io, clay.com, zoominfo, lusha
uber, lyft
airbnb, booking.com, expedia
`;

/** What a message asks for by name, and what else does the same job. */
export interface Rivalry {
  /** The terms of each product of the job that the message names. */
  readonly asked: readonly (readonly string[])[];
  /** The terms of each other product. */
  readonly others: readonly (readonly string[])[];
}

interface Product {
  readonly name: string;
  readonly isWord: boolean;
}

/** The jobs by the first word of each product that a message can name. */
let jobsByWord: ReadonlyMap<string, readonly (readonly Product[])[]> | undefined;

function readJobs(): ReadonlyMap<string, readonly (readonly Product[])[]> {
  const found = new Map<string, (readonly Product[])[]>();
  for (const line of JOBS.trim().split("\n")) {
    const products = line
      .split(", ")
      .map((name) => ({ name: name.replace("~", ""), isWord: name.startsWith("~") }));
    for (const { name, isWord } of products) {
      const word = name.split(" ")[0]!;
      const known = found.get(word) ?? [];
      if (!isWord && !known.includes(products)) found.set(word, [...known, products]);
    }
  }
  return found;
}

const between = /[^a-z0-9.+#:]+|[.:]+(?=\s|$)/g;

/** The jobs of the products that a text names, with the other products that do them. */
export function rivalriesIn(text: string): Rivalry[] {
  jobsByWord ??= readJobs();
  const words = ` ${text.toLowerCase().replace(between, " ").trim()} `.replace(/ {2,}/g, " ");
  const jobs = new Set<readonly Product[]>();
  for (const word of words.split(" ")) for (const job of jobsByWord.get(word) ?? []) jobs.add(job);
  return [...jobs].flatMap((products) => {
    const isNamed = ({ name }: Product) => words.includes(` ${name} `);
    const asked = products.filter((product) => !product.isWord && isNamed(product));
    if (asked.length === 0) return [];
    const others = products.filter((product) => !isNamed(product));
    return [{ asked: asked.map(termsOf), others: others.map(termsOf) }];
  });
}

/** The terms under which a product is found in a skill; that of "three.js" is the whole word. */
function termsOf({ name }: Product): string[] {
  return name.split(" ").flatMap((word) => tokenize(word).slice(0, 1));
}
