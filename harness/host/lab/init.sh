#!/bin/bash
# Process 1 of the lab. /lab is the one folder of the host that can be seen here.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /tmp
mountpoint -q /dev || mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm /lab
mount -t devpts devpts /dev/pts -o newinstance,ptmxmode=0666
mount -t tmpfs shm /dev/shm
[ -e /dev/fd ] || ln -s /proc/self/fd /dev/fd
mount -t cgroup2 cgroup /sys/fs/cgroup -o nsdelegate
mount --make-rshared /
mount -t hostfs none /lab
echo nameserver 127.0.0.1 >/etc/resolv.conf # where nobody is: without a name server, Docker asks one on the Internet, and waits for it
hostname rollcall-lab
ip link set lo up
ulimit -n 1048576
echo 1 >/proc/sys/net/ipv4/ip_forward
sysctl -q -w fs.inotify.max_user_instances=1024 net.netfilter.nf_conntrack_max=131072

echo 1000000 >/proc/self/timerslack_ns # or runtimes that nap for 20 µs are woken most of the time

while :; do echo >/lab/alive; sleep 5; done &

mkdir -p /var/lib/docker && mount -t ext4 -o noatime /dev/ubdb /var/lib/docker &&
	mkdir -p /var/lib/docker/containerd /var/lib/containerd && mount --bind /var/lib/docker/containerd /var/lib/containerd
echo '{"storage-driver": "overlay2", "log-level": "warn"}' >/run/daemon.json
dockerd --config-file /run/daemon.json >/lab/dockerd.log 2>&1 &
dockerd=$!
for _ in $(seq 300); do docker version >/dev/null 2>&1 && break; sleep 0.1; done

bash /lab/task.sh &
task=$!
while kill -0 $task 2>/dev/null; do
	[ ! -e /lab/stop ] || { rm /lab/stop && kill -TERM $task; }
	sleep 0.5
done
wait $task
echo $? >/lab/code

kill $dockerd
wait $dockerd
umount /var/lib/containerd /var/lib/docker
sync
echo o >/proc/sysrq-trigger
sleep 5
