# SPDX-License-Identifier: Apache-2.0
"""Programs run on a terminal."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(*argv, env, columns=100):
    """Runs a program with stdout on a terminal of 24 lines; its output and exit status."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [str(a) for a in argv], env=env, stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.DEVNULL
    )
    os.close(slave)
    output = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # Linux says EIO when the last writer is gone.
            break
        if not piece:
            break
        output += piece
    os.close(master)
    return output.decode().replace("\r\n", "\n"), process.wait(timeout=600)


def plain(text):
    """The text without its colours."""
    return ESCAPE.sub("", text)
