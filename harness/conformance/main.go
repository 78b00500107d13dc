package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"rollcall/fixtures"
	"rollcall/harness/cluster"
	"rollcall/harness/nodeimage"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT)
	defer stop()
	image, ok := nodeimage.Here(ctx, "v1.36.3")
	fmt.Println(image, ok)
	im, err := fixtures.Build(ctx, ".")
	if err != nil {
		panic(err)
	}
	var archives []cluster.Archive
	for _, x := range [][2]string{{"echo", "v1"}, {"echo", "v2"}, {"agent", fixtures.AgentVersion}} {
		data, err := im.Archive(x[0], x[1])
		if err != nil {
			panic(err)
		}
		archives = append(archives, cluster.Archive{Ref: fixtures.ImageRef(x[0], x[1]), Data: data})
	}
	mode := os.Args[1]
	c, err := cluster.Open(ctx, os.Stdout, cluster.Spec{Name: "rollcall-" + mode, Mode: mode, Image: image, Config: "kind-config.yaml", Archives: archives, ProbeImage: fixtures.ImageRef("echo", "v1"), Keep: os.Getenv("KEEP") == "1"})
	if err != nil {
		fmt.Println("ERR", err)
		os.Exit(1)
	}
	fmt.Println(c.HostPort(ctx, 30080))
	if len(os.Args) > 2 {
		fmt.Scanln()
	}
	fmt.Println(c.Close())
}
