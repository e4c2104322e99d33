// SPDX-License-Identifier: GPL-3.0-or-later
// The Flamenco job type, against the interface that Flamenco documents: node --test tests/shipped

import assert from "node:assert/strict";
import { test } from "node:test";

import { commandLines, compile, load } from "./flamenco_manager.mjs";

const PLACES = { shots: "/shots/a.blend; /shots/b.blend", output_dir: "/baked" };
const REPORTS = "/baked/reports-2026-11-23_102030";
// Objects of another context have other prototypes; as JSON they are plain.
const plain = (value) => JSON.parse(JSON.stringify(value));

test("the settings are as Flamenco's schema has them", () => {
    const { JOB_TYPE } = load();
    const known = ["key", "type", "subtype", "required", "default", "eval", "evalInfo", "description", "visible",
        "editable", "propargs", "choices"];
    assert.equal(typeof JOB_TYPE.label, "string");
    const keys = JOB_TYPE.settings.map((setting) => setting.key);
    assert.equal(new Set(keys).size, keys.length);
    for (const setting of JOB_TYPE.settings) {
        assert.deepEqual(Object.keys(setting).filter((name) => !known.includes(name)), []);
        assert.match(setting.key, /^[a-z_]+$/);
        assert.ok(["string", "int32", "float", "bool"].includes(setting.type), setting.key);
        assert.ok(["visible", "hidden", "submission", "web", undefined].includes(setting.visible), setting.key);
        assert.ok(setting.required || "default" in setting, `${setting.key} is optional and has no default`);
        assert.ok(setting.description, setting.key);
    }
});

test("one task a shot, and a summary after all of them", () => {
    const tasks = plain(compile(PLACES));
    assert.deepEqual(tasks.map((task) => task.name), ["bake-a", "bake-b", "summary"]);
    assert.deepEqual(new Set(tasks.map((task) => task.type)), new Set(["blender"]));
    assert.deepEqual(tasks[2].dependencies, ["bake-a", "bake-b"]);
    assert.deepEqual(tasks[0].dependencies, []);
});

test("the command lines", () => {
    const [bake, , summary] = plain(commandLines(compile(PLACES)));
    const start = ["{blender}", "{blenderArgs}", "--factory-startup", "--addons", "bl_ext.user_default.articulate",
        "--command", "articulate"];
    assert.deepEqual(bake, [...start, "bake", "/shots/a.blend", "--output", "/baked/a.blend",
        "--report", `${REPORTS}/a.json`, "--exit-zero"]);
    assert.deepEqual(summary, [...start, "summary", REPORTS]);
});

test("the directory of the reports is made first, on the worker", () => {
    const [first] = plain(compile(PLACES)[0].commands);
    assert.deepEqual([first.name, first.parameters], ["make-directory", { path: REPORTS }]);
});

test("all settings reach the command line", () => {
    const [bake] = plain(commandLines(compile({ ...PLACES, frames: " -5 - 20", armatures: "Hero;Side Kick ", scene: "Two",
        step: 2, decimate: 0.005, factory_startup: false, addon_module: "" })));
    assert.deepEqual(bake.slice(2, 5), ["--command", "articulate", "bake"]);
    assert.deepEqual(bake.slice(6, -5), ["--start=-5", "--end=20", "--armature=Hero", "--armature=Side Kick",
        "--scene=Two", "--step", "2", "--decimate", "0.005"]);
});

for (const [what, settings, words] of [
    ["no shots", { shots: " ; " }, /Shots is empty/],
    ["no directory", { output_dir: "" }, /Output Dir is empty/],
    ["no range", { frames: "1,3" }, /give a range/],
    ["one name twice", { shots: "/x/a.blend;/y/a.blend" }, /Two shots are named a\.blend/],
    ["the shots' own directory", { output_dir: "/shots" }, /would be overwritten/],
]) {
    test(`refused: ${what}`, () => {
        assert.throws(() => compile({ ...PLACES, ...settings }), (reason) => words.test(String(reason)));
    });
}
