// V8 recompiles functions that run often, which costs more than it saves in a process of two seconds. V8 12 (Node 22) waits.
if (Number.parseInt(process.versions.v8, 10) < 12)
  require('node:v8').setFlagsFromString('--interrupt-budget=1000000');
