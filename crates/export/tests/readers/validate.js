// Validates glb/scene.glb of a folder, with the validator of Khronos.
const fs = require("fs");
const path = require("path");
const validator = require(path.resolve("target/gltf/node_modules/gltf-validator"));

const file = process.argv[2].endsWith(".glb") ? process.argv[2] : path.join(process.argv[2], "glb", "scene.glb");
validator.validateBytes(new Uint8Array(fs.readFileSync(file))).then((report) => {
  const { numErrors, numWarnings, messages } = report.issues;
  for (const message of messages.slice(0, 20)) {
    console.log(message.severity, message.code, message.pointer, message.message);
  }
  console.log(`${numErrors} errors, ${numWarnings} warnings`);
  process.exit(numErrors > 0 ? 1 : 0);
});
