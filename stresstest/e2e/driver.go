package main

import (
	"regexp"

	"moirai/stresstest/realclient"
)

// The drivers are pinned as the client is: the SDK is the one of that version.
var (
	agentSDK   = &realclient.Driver{Package: "@anthropic-ai/claude-agent-sdk", Version: "0.3.332", Main: "sdk.mjs"}
	acpAdapter = &realclient.Driver{Package: "@agentclientprotocol/claude-agent-acp", Version: "0.101.0", Main: "dist/index.js"}
)

// driversFor installs what the picked rows need. What cannot be had leaves its rows out.
func driversFor(clients []*realclient.Client, cache string, pick *regexp.Regexp) map[*realclient.Driver]*realclient.Driving {
	driven := map[*realclient.Driver]*realclient.Driving{}
	for _, row := range Rows {
		for _, c := range clients {
			if row.Driver != nil && driven[row.Driver] == nil && pick.MatchString(row.Name) && c.Since(row.Since) {
				driven[row.Driver] = row.Driver.Install(cache)
			}
		}
	}
	return driven
}
