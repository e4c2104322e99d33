// SPDX-License-Identifier: GPL-3.0-or-later
// Searches a built site as a browser does, with the site's own search worker.
// node site_search.mjs SITE QUERY...  prints for each query, as JSON, the sections found on each page, best first.

import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";

const SETUP = 0, QUERY = 2, RESULT = 3; // kinds of the worker's messages
const [site, ...queries] = process.argv.slice(2);
const workers = path.join(site, "assets", "javascripts", "workers");
const script = fs.readdirSync(workers).find((name) => /^search\..*\.js$/.test(name));

const listeners = [];
let answered = () => {};
const worker = {
    location: { href: "https://site.test/assets/javascripts/workers/search.js" },
    addEventListener: (kind, listener) => kind === "message" && listeners.push(listener),
    postMessage: (message) => answered(message),
    importScripts: () => {}, // languages other than English
    setTimeout, clearTimeout, console, URL,
};
worker.self = worker.window = worker;
vm.runInContext(fs.readFileSync(path.join(workers, script), "utf8"), vm.createContext(worker));

const ask = (message) => new Promise((resolve) => {
    answered = resolve;
    listeners.forEach((listener) => listener({ data: message }));
});

const index = JSON.parse(fs.readFileSync(path.join(site, "search", "search_index.json"), "utf8"));
await ask({ type: SETUP, data: { ...index, options: { suggest: true } } });
const found = {};
for (const query of queries) {
    const answer = await ask({ type: QUERY, data: query });
    if (answer.type !== RESULT) throw new Error(`${query}: ${JSON.stringify(answer)}`);
    found[query] = answer.data.items.map((page) => page.map((section) => section.location));
}
console.log(JSON.stringify(found));
