build:
	CGO_ENABLED=0 go build -trimpath -buildvcs=true -o bin/ ./hades-session-load ./hades-gate
	cp README.md bin/
.PHONY: build
