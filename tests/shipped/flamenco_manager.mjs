// SPDX-License-Identifier: GPL-3.0-or-later
//
// The interface that Flamenco's Manager documents for job types, and nothing else: the globals `author`, `path`,
// `print`, `alert`, `formatTimestampLocal` and `shellSplit`. The script sees no global of Node.
//
// As a program: node flamenco_manager.mjs '{"shots": "..."}' prints the command lines that a worker would run.

import fs from "node:fs";
import posix from "node:path/posix";
import url from "node:url";
import vm from "node:vm";

const SCRIPT = url.fileURLToPath(new URL("../../farm/flamenco/articulate.js", import.meta.url));

class Task {
    constructor(name, type) {
        if (!name.trim() || !type.trim()) throw new Error("author.Task(name, type): both are required");
        Object.assign(this, { name, type, commands: [], dependencies: [] });
    }
    addCommand(command) { this.commands.push(command); }
    addDependency(task) { this.dependencies.push(task.name); }
}

const globals = () => ({
    author: {
        Task: (name, type) => new Task(name, type),
        Command: (name, parameters, totalStepCount = 0) => ({ name, parameters, totalStepCount }),
    },
    path: {
        join: posix.join,
        dirname: posix.dirname,
        basename: (name) => posix.basename(name),
        stem: (name) => posix.parse(name).name,
    },
    print: () => {},
    alert: () => {},
    formatTimestampLocal: (date) => date.toISOString().slice(0, 19).replace("T", "_").replaceAll(":", ""),
    shellSplit: (text) => text.split(/\s+/),
});

export function load() {
    const source = fs.readFileSync(SCRIPT, "utf8");
    return vm.runInNewContext(`"use strict"; ${source}; ({ JOB_TYPE, compileJob })`, globals());
}

// The tasks of a job; settings that are not given have their defaults.
export function compile(given) {
    const { JOB_TYPE, compileJob } = load();
    const settings = { blendfile: "/shots/current.blend" };
    for (const setting of JOB_TYPE.settings) {
        if ("default" in setting) settings[setting.key] = setting.default;
    }
    const tasks = [];
    const job = {
        id: "job", name: "Bake", type: "articulate", priority: 50, status: "under-construction",
        created: new Date("2026-11-23T10:20:30Z"), metadata: {},
        settings: Object.assign(settings, given),
        addTask: (task) => tasks.push(task),
    };
    compileJob(job);
    return tasks;
}

// What the worker starts: exe exeArgs argsBefore blendfile args, without an empty blendfile.
export function commandLines(tasks) {
    return tasks.flatMap((task) => task.commands)
        .filter((command) => command.name === "blender-render")
        .map(({ parameters: p }) =>
            [p.exe, p.exeArgs, ...p.argsBefore, ...(p.blendfile === "" ? [] : [p.blendfile]), ...p.args]);
}

if (process.argv[1] === url.fileURLToPath(import.meta.url)) {
    console.log(JSON.stringify(commandLines(compile(JSON.parse(process.argv[2])))));
}
