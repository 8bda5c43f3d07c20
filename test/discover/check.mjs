// Reads pages (*.html) and feeds (*.json, *.xml) of a folder, checks what they say of themselves, and writes their JSON-LD as
// TypeScript of the types of schema.org, for the compiler to check.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Validator from "@adobe/structured-data-validator";
import WebAutoExtractor from "@marbec/web-auto-extractor";
import validateFeed from "jsonfeed-validator";
import { validateXML } from "xmllint-wasm";

const folder = process.argv[2];
const errors = [];
let typed = 'import type { Graph } from "schema-dts";\n';
for (const name of readdirSync(folder).filter((n) => /\.(html|json|xml)$/.test(n)).sort()) {
  const text = readFileSync(join(folder, name), "utf8");
  if (name.endsWith(".html")) {
    const found = new WebAutoExtractor({ addLocation: true, embedSource: ["rdfa", "microdata"] }).parse(text);
    if (found.errors?.length) errors.push(...found.errors.map((e) => `${name}: ${JSON.stringify(e)}`));
    for (const issue of await new Validator().validate(found)) {
      if (issue.severity === "ERROR") errors.push(`${name}: ${issue.issueMessage} (${JSON.stringify(issue.path)})`);
    }
    const data = /<script id="described" type="application\/ld\+json">(.*?)<\/script>/s.exec(text);
    if (!data) errors.push(`${name}: no JSON-LD`);
    else typed += `export const ${name.replace(/\W/g, "_")}: Graph = ${data[1].trim()};\n`;
  } else if (name.endsWith(".xml")) {
    const schema = readFileSync(new URL("testdata/atom.rng", import.meta.url), "utf8");
    const found = await validateXML({ xml: [{ fileName: name, contents: text }], schema: [schema], extension: "relaxng" });
    errors.push(...found.errors.map((e) => `${name}: ${e.rawMessage}`));
    if (!found.valid && !found.errors.length) errors.push(`${name}: ${found.rawOutput}`);
    // What the schema cannot say: ids of entries differ, and there is a link of the feed to itself.
    const ids = [...text.matchAll(/<id>(.*?)<\/id>/g)].map((m) => m[1]);
    if (new Set(ids).size !== ids.length) errors.push(`${name}: an id twice`);
    if (!/<link [^>]*rel="self"/.test(text)) errors.push(`${name}: no link to itself`);
  } else if (name.endsWith(".json")) {
    // The schema is that of version 1, to which 1.1 added authors and language.
    const { authors, language, ...feed } = JSON.parse(text);
    if (feed.version !== "https://jsonfeed.org/version/1.1") errors.push(`${name}: version ${feed.version}`);
    feed.version = "https://jsonfeed.org/version/1";
    if (!authors?.[0]?.name || !language) errors.push(`${name}: no author or language`);
    errors.push(...validateFeed(feed).map((r) => `${name}: ${JSON.stringify(r)}`));
  }
}
writeFileSync(join(folder, "typed.ts"), typed);
for (const e of errors) console.log(e);
process.exit(errors.length ? 1 : 0);
