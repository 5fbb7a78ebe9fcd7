package wiring

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"

	"moirai/operate/jsontext"
)

// keptHooks are the operator's two hooks that Moirai does not replace (§8).
var keptHooks = regexp.MustCompile(`(^|[^A-Za-z0-9_-])hades-(deployment-gate|vault-guard)\.sh($|[^A-Za-z0-9_-])`)

// Foreign is a hook in settings that is none of ours, to be carried into the drop-in
// where only managed hooks run.
type Foreign struct {
	Event, Command string
	Kept           bool // one of the two of §8
	group          string
}

// ForeignHooks lists the hooks of a settings file that are neither ours nor the bash
// version's, each once; none if there is no file.
func ForeignHooks(path string) ([]Foreign, error) {
	text, err := os.ReadFile(path)
	if absent(err) || err == nil && len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	root, err := jsontext.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	hooks, _ := root.Get("hooks")
	var all []Foreign
	for _, event := range hooks.Members {
		for _, group := range event.Value.Members {
			list, _ := group.Value.Get("hooks")
			matcher := ""
			if m, ok := group.Value.Get("matcher"); ok {
				matcher = `"matcher": ` + string(text[m.Start:m.End]) + ", "
			}
			for _, hook := range list.Members {
				raw := text[hook.Value.Start:hook.Value.End]
				var keys map[string]any
				if json.Unmarshal(raw, &keys) != nil {
					continue
				}
				command, _ := keys["command"].(string)
				if _, isOurs := parseHook(keys, ""); isOurs || isRetired(command) {
					continue
				}
				var compact bytes.Buffer
				if err := json.Compact(&compact, []byte("{"+matcher+`"hooks": [`+string(raw)+"]}")); err != nil {
					return nil, fmt.Errorf("%s: %w", path, err)
				}
				all = WithForeign(all, Foreign{event.Key, command, keptHooks.MatchString(command), compact.String()})
			}
		}
	}
	return all, nil
}

// WithForeign is the list with these hooks, each once.
func WithForeign(all []Foreign, more ...Foreign) []Foreign {
	for _, f := range more {
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all
}

// Strict is the managed drop-in of so many loaders with allowManagedHooksOnly, so
// that the client runs no hook but those in managed files: ours, and these.
func Strict(pages int, carried []Foreign) ([]byte, error) {
	text := Managed(pages)
	root, err := jsontext.Parse(text)
	if err != nil {
		return nil, err
	}
	text = add(text, root, "allowManagedHooksOnly", "true")
	for _, f := range carried {
		if text, err = appendGroup(text, f.Event, []byte(f.group)); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// IsStrict tells whether a managed file lets only managed hooks run.
func IsStrict(path string) (bool, error) {
	s, err := readSource(path, TierManaged, "")
	return s != nil && s.ManagedOnly, err
}
