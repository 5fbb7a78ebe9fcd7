package main

import (
	"fmt"

	"moirai/moiraicore"
	"moirai/operate/wiring"
)

// fit prints how large the rule files of a root are and how many pages they
// need (D7). It touches no token.
func fit(o options) error {
	if o.root == "" {
		return errUsage
	}
	scope := moiraicore.Locate(o.root)
	if !scope.In {
		return fmt.Errorf("%s: no part of the path is named %s: sessions there are not gated", o.root, moiraicore.ScopeName)
	}
	content, err := moiraicore.ReadRequired(scope)
	if err != nil {
		return err
	}
	pages, err := moiraicore.Paginate(content, scope.Root)
	if err != nil {
		return err
	}
	fmt.Printf("root %s\n\n%10s %10s  file\n", scope.Root, "units", "bytes")
	for i, r := range moiraicore.Required {
		fmt.Printf("%10d %10d  %s\n", moiraicore.Units(content[i]), len(content[i]), r.Path)
	}
	fmt.Printf("\n%10s  page, of %d units at most, banners and all\n", "units", moiraicore.PageUnits)
	for k, page := range pages {
		fmt.Printf("%10d  %d of %d\n", moiraicore.Units(page), k+1, len(pages))
	}
	fmt.Printf("\npages needed: %d; make wire wires %d where nobody asks for more\n", len(pages), wiring.Pages)
	if len(pages) > moiraicore.MaxPages {
		return fmt.Errorf("more than the %d pages that can be wired: shorten the files", moiraicore.MaxPages)
	}
	if len(pages) > wiring.Pages {
		return fmt.Errorf("wire %d with make wire ROOT=%s (or make install-managed ROOT=…), or shorten the files; make verify ROOT=%s tells whether it is",
			len(pages), o.root, o.root)
	}
	return nil
}
