// Runs Lighthouse with its mobile preset on the pages of a running server and
// fails when a category of a page scores below the least that is allowed.
//
// Usage: node run.mjs http://127.0.0.1:8080 [PATH…]
//
// CHROME_PATH names the browser; LIGHTHOUSE_LEAST the least score (98);
// LIGHTHOUSE_REPORTS a directory for the full reports.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as launcher from "chrome-launcher";
import lighthouse from "lighthouse";

const categories = ["performance", "accessibility", "best-practices", "seo"];
const least = Number(process.env.LIGHTHOUSE_LEAST ?? 98);
const reports = process.env.LIGHTHOUSE_REPORTS;

const card = "nvidia-geforce-rtx-4090";
const main = [
  "/",
  "/cards",
  `/cards/${card}`,
  "/compare?card=nvidia-h100-sxm5-80gb&card=nvidia-a100-sxm4-80gb&card=nvidia-geforce-rtx-4090",
  "/recommend?task=qlora&model=7B&destination=CN",
  `/recommend/${card}?task=inference&model=8B`,
  "/serve?model=qwen3-32b&concurrency=50",
  "/ladders/measured/blender-4.5",
  "/plot",
  "/prices",
  "/export-control?destination=CN",
  "/live",
];
const pages = ["", "/zh"].flatMap((prefix) => main.map((path) => prefix + path));

// notForIndexes are the audits of a page that asks search engines not to list it: that is meant.
const notForIndexes = ["is-crawlable"];

// lowering are the audits that cost a category points, with what they found.
function lowering(report, category) {
  return report.categories[category].auditRefs
    .filter(({ id, weight }) => weight > 0 && report.audits[id].score !== null && report.audits[id].score < 1)
    .map(({ id }) => `${id} ${report.audits[id].displayValue ?? report.audits[id].title}`);
}

// measure runs Lighthouse once on an address.
async function measure(url, port) {
  const listed = !/<meta name="robots" content="[^"]*noindex/.test(await (await fetch(url)).text());
  const result = await lighthouse(url, {
    port,
    onlyCategories: categories,
    skipAudits: listed ? [] : notForIndexes,
    output: "json",
    logLevel: "error",
  });
  if (!result || result.lhr.runtimeError) {
    throw new Error(`${url}: ${result?.lhr.runtimeError?.message ?? "no result"}`);
  }
  if (reports) {
    const name = url.replace(/^https?:\/\/[^/]+/, "").replace(/\W+/g, "-").replace(/^-|-$/g, "") || "index";
    await writeFile(join(reports, name + ".json"), result.report);
  }
  return result.lhr;
}

function show(path, report) {
  const scores = categories.map((c) => Math.round(report.categories[c].score * 100));
  console.log([...scores.map((s) => String(s).padStart(5)), path].join("  "));
  for (const [i, category] of categories.entries()) {
    for (const audit of scores[i] < 100 ? lowering(report, category) : []) {
      console.log(`       ${category}: ${audit}`);
    }
  }
  return Math.min(...scores);
}

const [base, ...given] = process.argv.slice(2);
if (!base) {
  console.error("usage: node run.mjs http://HOST:PORT [PATH…]");
  process.exit(2);
}
const chrome = await launcher.launch({
  chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"],
});
let worst = 100;
try {
  console.log(" perf   a11y   best    seo  page");
  for (const path of given.length > 0 ? given : pages) {
    worst = Math.min(worst, show(path, await measure(new URL(path, base).href, chrome.port)));
  }
} finally {
  chrome.kill();
}
if (worst < least) {
  console.error(`the lowest score is ${worst}; ${least} is the least that is allowed`);
  process.exit(1);
}
