// Package untouched has no code of its own. Its tests run every program of ours that uses
// fixed paths on a machine that gives no private /tmp, beside the token of a live
// session, and hold that nothing of it changes.
package untouched
