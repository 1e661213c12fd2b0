// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What speedscope's own importer makes of a file: its call paths with their own time, one a line. Its bundle is made for a browser: windows and
// documents are stand-ins here, and it ends where the page would be drawn. Usage: node speedscope_import.js BUNDLE FILE
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [bundle, file] = process.argv.slice(2);
const drawn = "console.log(`speedscope v";
let code = fs.readFileSync(bundle, "utf8");
const importer = /async function ([\w$]+)\(t,e\)\{return\(await [\w$]+\)\.importProfileGroupFromText\(t,e\)\}/.exec(code);
if (!importer || code.split(drawn).length !== 2) {
    console.error(`${bundle}: expected speedscope's importProfileGroupFromText, and its start`);
    process.exit(2);
}
code = code.replace(drawn, () => `globalThis.heatscope_import=${importer[1]};throw new Error("loaded");${drawn}`);

const anything = new Proxy(function () {}, {
    get: (target, name) => (name === Symbol.toPrimitive ? () => "" : name === Symbol.iterator ? function* () {} : anything),
    set: () => true,
    apply: () => anything,
    construct: () => anything,
});
const quiet = {log() {}, warn() {}, error() {}, time() {}, timeEnd() {}};
const context = vm.createContext({console: quiet, TextDecoder, TextEncoder, URL, URLSearchParams, setTimeout, clearTimeout, atob, btoa, performance,
    window: anything, document: anything, navigator: anything, location: anything, localStorage: anything, history: anything, self: anything});

try {
    vm.runInContext(code, context, {filename: bundle});
} catch (e) {
    if (e.message !== "loaded") throw e;
}

context.heatscope_import(path.basename(file), fs.readFileSync(file, "utf8")).then((group) => {
    if (!group || !group.profiles.length) throw new Error(`${file}: no profile in it`);
    for (const profile of group.profiles) {
        const stack = [], own = new Map();
        let before = 0;
        const spend = (at) => {
            const key = stack.join(";");
            if (key && at > before) own.set(key, (own.get(key) || 0) + at - before);
            before = at;
        };
        profile.forEachCall((node, at) => { spend(at); stack.push(node.frame.name.replace(/ \{"file":.*\}$/, "")); }, (node, at) => { spend(at); stack.pop(); });
        spend(profile.getTotalWeight());
        for (const [key, weight] of own) console.log(`${profile.getName()}\t${profile.getWeightUnit()}\t${key}\t${weight}`);
    }
}).catch((e) => {
    console.error(e.message);
    process.exit(1);
});
