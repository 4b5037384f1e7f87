// V8 recompiles functions that run often. In a process of two seconds that costs a sixth of the processor time and saves less.
// From V8 12 on (Node 22), V8 itself waits longer.
if (Number.parseInt(process.versions.v8, 10) < 12)
  require('node:v8').setFlagsFromString('--interrupt-budget=1000000');
