"""A headless Chromium for tests of pages, over its DevTools protocol on pipes; nothing but Python's own library.

    with Browser() as browser:
        page = browser.open("http://127.0.0.1:7412/", width=400, dark=True)
        page.wait("document.querySelectorAll('tr').length > 3")
        assert not page.errors

Chromium gets an empty profile and no network of its own (no updates, no first run).
"""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe")
KEYS = {"Enter": 13, "Tab": 9, "ArrowLeft": 37, "ArrowRight": 39, "Escape": 27, "Home": 36, "End": 35}


def chromium():
    """Returns the program's path; None if there is none."""
    return shutil.which("chromium")


class Browser:

    def __init__(self, patience=120):
        """`patience`: seconds that an answer or a condition may take."""
        self.patience = patience
        self.folder = tempfile.mkdtemp(prefix="chromium")
        self.last = 0
        self.rest = b""
        self.pages = {}
        ours_out, theirs_in = os.pipe(), os.pipe()  # it reads its descriptor 3 and writes its descriptor 4
        self.write_to, self.read_from = ours_out[1], theirs_in[0]

        def arrange():
            # Copied first above both numbers: one may have the other's place.
            read, write = os.dup2(ours_out[0], 90), os.dup2(theirs_in[1], 91)
            os.dup2(read, 3), os.dup2(write, 4)

        self.process = subprocess.Popen(
            [chromium(), *FLAGS, "--user-data-dir=" + self.folder, "about:blank"], preexec_fn=arrange, close_fds=False,
            start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.folder})
        os.close(ours_out[0])
        os.close(theirs_in[1])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        os.close(self.write_to)
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.read_from)
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self, deadline):
        """Returns the next message."""
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.read_from], [], [], max(0, deadline - time.monotonic()))
            some = os.read(self.read_from, 1 << 20) if ready else b""
            if not some:
                raise TimeoutError("Chromium does not answer" if not ready else "Chromium has ended")
            self.rest += some
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        """Sends a command and returns its result; hands what comes before it to the pages."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.write_to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + self.patience
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]["message"]))
                return answer["result"]
            page = self.pages.get(answer.get("sessionId"))
            if page and "method" in answer:
                page.note(answer["method"], answer["params"])

    def open(self, url, width=1280, height=900, dark=False):
        """Returns a new page that shows `url`."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.pages[session] = Page(self, session, target)
        for domain in ("Page", "Runtime", "Log"):
            page.call(domain + ".enable")
        page.resize(width, height)
        page.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        page.go(url)
        return page


class Page:
    """One tab. `errors`: exceptions, console.error, and what Chromium itself reports as an error (status 404, policy)."""

    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target
        self.errors = []

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def note(self, method, parameters):
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
            self.errors.append(str(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(parameters["entry"]["text"] + " " + parameters["entry"].get("url", ""))

    def go(self, url):
        failed = self.call("Page.navigate", url=url).get("errorText")
        if failed:
            raise RuntimeError("%s: %s" % (url, failed))
        self.wait("document.readyState === 'complete'")

    def resize(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 640)

    def value(self, expression):
        """Returns a JavaScript expression's value."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError("%s: %s" % (expression, answer["exceptionDetails"]["exception"].get("description")))
        return answer["result"].get("value")

    def wait(self, condition):
        """Waits until an expression is true. It is not while it fails, as between two pages."""
        deadline = time.monotonic() + self.browser.patience
        while True:
            try:
                if self.value("Boolean(%s)" % condition):
                    return
                state = "the page has: " + self.text()
            except RuntimeError as error:
                state = str(error)
            if time.monotonic() > deadline:
                raise TimeoutError("%s; %s" % (condition, state))
            time.sleep(0.05)

    def text(self, selector="body"):
        return self.value("document.querySelector(%s).innerText" % json.dumps(selector))

    def click(self, selector):
        self.value("document.querySelector(%s).click()" % json.dumps(selector))

    def press(self, key, times=1):
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        code = KEYS.get(key, ord(key[0].upper()))
        for _ in range(times):
            self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def close(self):
        if self.browser.pages.pop(self.session, None):
            self.browser.call("Target.closeTarget", targetId=self.target)

    def overflow(self):
        """Returns by how many pixels the page is wider than the window."""
        return self.value("document.documentElement.scrollWidth - document.documentElement.clientWidth")

    def screenshot(self, path):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip={
            "x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6000), "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))
