// SPDX-License-Identifier: GPL-3.0-or-later
//
// A Flamenco job type that bakes many shots with Articulate: one task a shot, then a summary of all reports.
// Copy this file into the directory `scripts` beside flamenco-manager. See docs/farm.md.

const JOB_TYPE = {
    label: "Articulate Bake",
    settings: [
        { key: "shots", type: "string", required: true,
          eval: "'; '.join(str(p) for p in sorted(Path(abspath(bpy.data.filepath)).parent.glob('*.blend')))",
          evalInfo: {
              showLinkButton: true,
              description: "All .blend files beside the current one",
          },
          description: "The .blend files to bake, separated by semicolons" },
        { key: "output_dir", type: "string", subtype: "dir_path", required: true, visible: "submission",
          description: "Directory for the baked files. They keep their names, and reports go beside them" },
        { key: "frames", type: "string", default: "",
          description: "Frame range, for instance 1-250. Empty: as in each file" },
        { key: "armatures", type: "string", default: "",
          description: "Armatures to bake, separated by semicolons. Empty: all that have effectors" },
        { key: "scene", type: "string", default: "",
          description: "Scene to bake. Empty: the active one of each file" },
        { key: "step", type: "int32", default: 0, propargs: { min: 0 },
          description: "Key every nth frame. 0: as in each file" },
        { key: "decimate", type: "float", default: 0.0, propargs: { min: 0.0 },
          description: "Remove keys within this margin of error, in metres. 0: as in each file" },

        // How Blender is started:
        { key: "factory_startup", type: "bool", default: true, visible: "submission",
          description: "Ignore the preferences of the worker, so that all workers behave alike" },
        { key: "addon_module", type: "string", default: "bl_ext.user_default.articulate", visible: "submission",
          description: "Name of the extension's module on the workers. Empty: it is enabled there" },

        // Set by Flamenco:
        { key: "blendfile", type: "string", required: true, visible: "web",
          description: "The .blend file from which the job was sent" },
    ]
};

function compileJob(job) {
    const settings = job.settings;
    const shots = listOf(settings.shots);
    if (shots.length === 0) {
        throw "Shots is empty: give at least one .blend file";
    }
    if (!settings.output_dir) {
        throw "Output Dir is empty";
    }
    const reports = path.join(settings.output_dir, `reports-${formatTimestampLocal(job.created)}`);
    const options = bakeOptions(settings);
    const outputs = new Set();

    const summary = author.Task("summary", "blender");
    summary.addCommand(blender(settings, "summary", "", [reports]));
    for (const shot of shots) {
        const output = path.join(settings.output_dir, path.basename(shot));
        if (outputs.has(output)) {
            throw `Two shots are named ${path.basename(shot)}: their results would have one name`;
        }
        if (output === shot) {
            throw `${shot} would be overwritten: choose another Output Dir`;
        }
        outputs.add(output);
        const task = bakeTask(settings, shot, output, reports, options);
        summary.addDependency(task);
        job.addTask(task);
    }
    job.addTask(summary);
}

// With --exit-zero, Blender's exit status is not 0 only if another worker may succeed: Blender crashed, was
// killed, has no extension, or could not read or write a file. The Manager then gives the task to another one.
// If no worker can bake a shot, its task ends, its report has the status FAILED, and the summary fails.
function bakeTask(settings, shot, output, reports, options) {
    const name = path.stem(shot);
    const task = author.Task(`bake-${name}`, "blender");
    task.addCommand(author.Command("make-directory", { path: reports }));
    const places = ["--output", output, "--report", path.join(reports, `${name}.json`), "--exit-zero"];
    task.addCommand(blender(settings, "bake", shot, options.concat(places)));
    return task;
}

// Flamenco runs: exe exeArgs argsBefore blendfile args. All after --command goes to Articulate.
function blender(settings, action, blendfile, args) {
    let before = settings.factory_startup ? ["--factory-startup"] : [];
    if (settings.addon_module) {
        before = before.concat(["--addons", settings.addon_module]);
    }
    return author.Command("blender-render", {
        exe: "{blender}",
        exeArgs: "{blenderArgs}",
        argsBefore: before.concat(["--command", "articulate", action]),
        blendfile: blendfile,
        args: args,
    });
}

function bakeOptions(settings) {
    let options = [];
    if (settings.frames) {
        const range = /^\s*(-?\d+)\s*-\s*(-?\d+)\s*$/.exec(settings.frames);
        if (!range) {
            throw `Frames is "${settings.frames}": give a range, for instance 1-250`;
        }
        // With =, a negative frame is not taken for an option.
        options = options.concat([`--start=${range[1]}`, `--end=${range[2]}`]);
    }
    for (const name of listOf(settings.armatures)) {
        options = options.concat([`--armature=${name}`]);
    }
    if (settings.scene) {
        options = options.concat([`--scene=${settings.scene}`]);
    }
    if (settings.step > 0) {
        options = options.concat(["--step", String(settings.step)]);
    }
    if (settings.decimate > 0) {
        options = options.concat(["--decimate", String(settings.decimate)]);
    }
    return options;
}

function listOf(text) {
    return (text || "").split(";").map((part) => part.trim()).filter((part) => part !== "");
}
