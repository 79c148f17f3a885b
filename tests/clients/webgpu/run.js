// SPDX-License-Identifier: MIT
// Runs kernels and compares their results with those computed here:
//     node run.js KERNEL...
//     deno run --allow-all --unstable-webgpu run.js KERNEL...
// A kernel returns what it got and what is right, lists of the same length, and how far apart two numbers may be; or a
// string that says why it cannot run on this device. The exit code is 1 if anything is wrong.
import process from 'node:process';
import { Gpu } from './gpu.js';

function compare(name, { got, want, tolerance = 0 }) {
  const equal = (a, b) => a === b || Math.abs(a - b) <= tolerance || (Number.isNaN(a) && Number.isNaN(b));
  const wrong = [];
  for (let i = 0; i < want.length; i++) if (!equal(got[i], want[i])) wrong.push(i);
  for (const i of wrong.slice(0, 4)) console.log(`${name}: [${i}] is ${got[i]}, not ${want[i]}`);
  if (got.length !== want.length) console.log(`${name}: ${got.length} results`);
  console.log(`${name}: ${want.length - wrong.length} of ${want.length} right`);
  return wrong.length === 0 && got.length === want.length;
}

const gpu = await Gpu.open();
console.log(`on ${gpu.name}`);
let right = true;
for (const name of process.argv.slice(2)) {
  const { default: kernel } = await import(`./kernels/${name}.js`);
  const result = await kernel(gpu);
  if (typeof result === 'string') console.log(`${name}: not run: ${result}`);
  else right &= compare(name, result);
  for (const message of gpu.errors.splice(0)) {
    console.log(`${name}: ${message}`);
    right = false;
  }
}
process.exit(right ? 0 : 1);
