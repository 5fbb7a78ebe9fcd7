package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// sdkScript gives the SDK each line of its input as a message of the user, and prints each
// message that the SDK gives back, as the client itself does in stream-json.
const sdkScript = `
import { query, createSdkMcpServer, tool } from "SDK";
import { z } from "ZOD";
import { createInterface } from "node:readline";
import { writeFileSync } from "node:fs";
const say = (x) => console.log(JSON.stringify(x));
async function* prompts() {
	for await (const line of createInterface({ input: process.stdin })) yield JSON.parse(line);
}
const options = {
	pathToClaudeCodeExecutable: CLIENT,
	permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true,
	stderr: (x) => process.stderr.write(x),
	...OPTIONS,
};
for await (const m of query({ prompt: prompts(), options })) say(m);
`

// StartSDK starts a session through the Agent SDK. The options are an object of its language.
func (w *World) StartSDK(dir, options string) *Session {
	sdk := w.run.driven[agentSDK]
	client, _ := json.Marshal(w.run.client.Program())
	script := filepath.Join(w.Dir, "session.mjs")
	w.write(script, strings.NewReplacer("SDK", sdk.Main(), "ZOD", sdk.Module("zod/index.js"), "CLIENT", string(client), "OPTIONS", options).Replace(sdkScript))
	return w.startProgram(dir, sdk.Command(script))
}
