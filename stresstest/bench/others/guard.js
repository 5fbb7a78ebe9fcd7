// A guard as one writes it for Node: it knows the scope and the four markers, and no more.
const fs = require('fs');

const markers = ['COMMANDMENTS_ACK', 'SCOPE_ACK', 'CONTEXT_ACK', 'START_ACK'];
const fail = (why) => {
  fs.writeSync(2, `Moirai (Hades) fail-closed: ${why}\n`);
  process.exit(2);
};

try {
  const call = JSON.parse(fs.readFileSync(0, 'utf8'));
  if (!`${fs.realpathSync(call.cwd)}/`.includes('/constellation-hades/')) process.exit(0);
  const token = fs.readFileSync(`/tmp/moirai/hades/session-${call.session_id}`, 'utf8');
  const have = new Set(token.split('\n').map((line) => line.split(' ')[1]));
  const missing = markers.filter((marker) => !have.has(marker));
  if (missing.length > 0) fail(`${call.tool_name} is blocked: ${missing.join(', ')}`);
} catch (error) {
  fail(error.message);
}
