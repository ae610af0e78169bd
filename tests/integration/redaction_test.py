# SPDX-License-Identifier: Apache-2.0
"""spoc-info --redact: nothing that names a person or the machine is in what goes into a public report."""

import json
import os
import pwd
import re

import spoc_test
from plugin_folder import Folder, PluginTest, built_plugin, temporary_folder

USER = "planteduser"
UUID = "feedface-0123-4567-89ab-cdefc0ffee07"  # of the fixture `twins`
SERIAL = "1320418029931"
HOST = os.uname().nodename
PARTS = ["--verbose", "--paths", "--env", "--selftest"]


def patched(name, old, new):
    """The bytes of a test plugin with a text in it replaced by another that is no longer."""
    data = built_plugin(name).read_bytes()
    assert old in data and len(new) <= len(old), f"{name} has no text {old}"
    return data.replace(old, new.ljust(len(old)))


class RedactionTest(PluginTest):
    """A person with a home directory, full of plugins that name things which are nobody's business."""

    def setUp(self):
        super().setUp()
        self.home = Folder(self.folder.path / "home-of-somebody")
        self.plugins = Folder(self.home.path / f"{USER}-on-{HOST}")
        self.plugins.add_native()
        self.plugins.add("twins")
        self.plugins.add("orphan")
        self.plugins.write("text", b"hello\n")
        self.plugins.write("acme", patched("acme", b"Fixture device %u", f"{USER}'s %u".encode()))
        self.plugins.write("bolt", patched("bolt", b"The fixture only copies.", f"See {USER}.".encode()))
        self.plugins.add("refused").chmod(0o666)
        (self.plugins.path / f"libspoc-{USER}.so.1").touch()
        self.secrets = [str(self.home), "home-of-somebody", USER, UUID, UUID.replace("-", ""), SERIAL]
        if HOST != "localhost":
            self.secrets.append(HOST)

    def environment(self, **changes):
        path = f"{self.plugins}:{self.home}/nowhere:/home/someoneelse/lib"
        return spoc_test.clean_environment(**{
            "HOME": str(self.home), "USER": USER, "LOGNAME": USER, "SPOC_PLUGIN_PATH": path,
            "SPOC_LOG": f"{SERIAL}", "SPOC_DEVICES": f"twins:uuid={UUID},native,acme,bolt", **changes,
        })  # fmt: skip

    def said(self, *arguments, **changes):
        """All that is written, to stdout and to stderr."""
        wish = f"twins:uuid={UUID.upper()}"
        result = spoc_test.run(spoc_test.SPOC_INFO, *arguments, "--require", wish, "--require", "any:fp64",
                               env=self.environment(**changes))
        return result.stdout + result.stderr

    def leaks(self, text):
        # A name may be wrapped where it is long.
        flat = re.sub(r"\n +", "", text.lower()) + text.lower()
        return [secret for secret in self.secrets if secret.lower() in flat]


class Report(RedactionTest):
    """What is hidden."""

    def test_without_the_option_everything_planted_is_there(self):
        said = self.said(*PARTS) + self.said("--json", *PARTS)
        self.assertEqual(sorted(self.leaks(said)), sorted(s for s in self.secrets if s != UUID.replace("-", "")))
        self.assertIn("someoneelse", said)

    def test_nothing_planted_is_anywhere(self):
        for arguments in ([], ["--json"]):
            for part in ([], *([part] for part in PARTS), PARTS):
                said = self.said("--redact", *arguments, *part)
                self.assertEqual(self.leaks(said), [], said)
                self.assertNotIn("someoneelse", said)

    def test_the_value_of_a_variable_that_is_not_read_is_nobodys_business(self):
        for arguments in (["--env"], ["--env", "--json"]):
            said = self.said("--redact", *arguments, SPOC_TOKEN="hunter2 at 192.0.2.7")
            self.assertIn("SPOC_TOKEN", said)
            self.assertIn("<hidden>", said)
            for word in ("hunter2", "192.0.2.7"):
                self.assertNotIn(word, said)

    def test_a_mistake_of_the_command_line_is_redacted_too(self):
        result = spoc_test.run(spoc_test.SPOC_INFO, "--redact", f"{self.home}/x", env=self.environment())
        self.assertEqual(result.returncode, 2)
        self.assertEqual(self.leaks(result.stdout + result.stderr), [])
        self.assertIn("~/x", result.stderr)

    def test_what_drivers_and_the_library_print_is_left_out(self):
        self.plugins.add("prints")
        arguments = ["--redact", "--backend", "prints"]
        env = self.environment(SPOC_LOG="trace", SPOC_DEVICES=None)
        result = spoc_test.run(spoc_test.SPOC_INFO, *arguments, env=env)
        self.assertEqual((result.returncode, result.stderr), (0, ""))


class Document(RedactionTest):
    """What is left can be read."""

    def document(self, *arguments, **changes):
        return spoc_test.info_json("--redact", *arguments, env=self.environment(**changes))[0]

    def test_it_fits_the_schema_and_says_that_it_is_redacted(self):
        self.assertTrue(self.document(*PARTS)["redacted"])
        self.assertFalse(spoc_test.info_json(env=self.environment())[0]["redacted"])

    def test_the_same_thing_has_the_same_placeholder(self):
        document = self.document("--env", "--require", f"twins:uuid={UUID}")
        twins = [device for device in document["devices"] if device["backend"] == "twins"]
        uuid = twins[0]["uuid"]
        self.assertEqual([device["uuid"] for device in twins], [uuid, uuid])
        self.assertIn({"name": "Fixture device 0", "uuid": uuid, "pci": None, "devices": ["twins:0", "twins:1"]},
                      document["physical"])
        self.assertEqual(document["requirements"][0]["expr"], f"twins:uuid={uuid}")
        settings = {setting["name"]: setting["value"] for setting in document["settings"]}
        self.assertEqual(settings["SPOC_DEVICES"], f"twins:uuid={uuid},native,acme,bolt")
        self.assertEqual((settings["HOME"], settings["USER"]), ("~", "<user>"))

    def test_paths_below_the_home_directory_can_still_be_followed(self):
        document = self.document("--paths")
        place = f"~/<user>-on-{'<host>' if HOST in self.secrets else HOST}"
        self.assertEqual([entry["path"] for entry in document["search"][:3]],
                         [place, "~/nowhere", "/home/<user-1>/lib"])
        files = {entry["name"]: entry["file"] for entry in document["backends"]}
        self.assertEqual(files["twins"], f"{place}/libspoc-twins.so")
        self.assertEqual(document["search"][0]["passed_over"], ["libspoc-<user>.so.1"])

    def place_of(self, path, **changes):
        """What becomes of a place to search."""
        return self.document("--paths", SPOC_PLUGIN_PATH=path, SPOC_DEVICES=None, **changes)["search"][0]["path"]

    def test_homes_are_known_wherever_they_stand(self):
        for path, wanted in (
            ("/home/corp.example.com/bob/p", "/home/<user-1>/<user-2>/p"),
            ("/home/CORP/bob/p", "/home/<user-1>/<user-2>/p"),
            ("/var/home/carol/p", "/var/home/<user-1>/p"),
            ("/export/home/erin/p", "/export/home/<user-1>/p"),
            ("/media/frank/stick", "/media/<user-1>/stick"),
            ("/run/media/frank/stick", "/run/media/<user-1>/stick"),
            ("/mnt/C/Users/grace/p", "/mnt/C/Users/<user-1>/p"),
            ("/Users/heidi/p", "/Users/<user-1>/p"),
            ("/srv/lib/spoc/home/p", "/srv/lib/spoc/home/p"),
            ("/usr/lib/home", "/usr/lib/home"),
        ):
            with self.subTest(path):
                self.assertEqual(self.place_of(path), wanted)

    def test_the_same_person_has_the_same_placeholder_wherever_the_home_stands(self):
        path = "/srv/ivan:/home/judy/p:/home/ivan/p:/export/home/judy/p"
        document = self.document("--paths", SPOC_PLUGIN_PATH=path, SPOC_DEVICES=None)
        self.assertEqual([place["path"] for place in document["search"][:4]],
                         ["/srv/<user-2>", "/home/<user-1>/p", "/home/<user-2>/p", "/export/home/<user-1>/p"])

    def test_a_domain_goes_with_the_name_of_the_machine(self):
        if HOST == "localhost":
            self.skipTest("this machine has no name of its own")
        self.assertEqual(self.place_of(f"/srv/{HOST}.internal.example.com/p"), "/srv/<host>/p")

    def test_addresses_of_other_machines_are_hidden_and_versions_stay(self):
        for path, wanted in (("/net/192.0.2.7/p", "/net/<address-1>/p"), ("/net/127.0.0.1/p", "/net/127.0.0.1/p"),
                             ("/opt/driver-535.129.3.1/p", "/opt/driver-535.129.3.1/p"),
                             ("/opt/1.2.3.4.5", "/opt/1.2.3.4.5"), ("/opt/1.2.3/p", "/opt/1.2.3/p")):  # fmt: skip
            with self.subTest(path):
                self.assertEqual(self.place_of(path), wanted)

    def test_a_name_that_is_a_word_too_is_replaced_where_it_is_a_name(self):
        for name in ("native", "spoc"):
            with self.subTest(name):
                document = self.document("--env", "--paths", USER=name, LOGNAME=name, SPOC_DEVICES=None,
                                         SPOC_PLUGIN_PATH=f"{self.plugins}:/home/{name}/p:/srv/{name}@far/p")
                settings = {setting["name"]: setting["value"] for setting in document["settings"]}
                self.assertEqual(settings["USER"], "<user>")
                self.assertEqual([place["path"] for place in document["search"][1:3]],
                                 ["/home/<user>/p", "/srv/<user>@far/p"])
                native = next(entry for entry in document["backends"] if entry["name"] == "native")
                self.assertTrue(native["file"].endswith("/libspoc-native.so"), native["file"])
                shown = json.dumps(document["backends"]) + json.dumps(document["devices"])
                self.assertNotIn("<user>-", shown)

    def test_what_says_nothing_about_anybody_stays_as_it_is(self):
        # As root of a machine without a name, there is nothing to hide.
        bare = {name: None for name in ("USER", "LOGNAME", "SUDO_USER", "SPOC_DEVICES", "SPOC_LOG")}
        folder = temporary_folder(self)
        folder.add("pair")
        env = self.environment(**bare, HOME="/", SPOC_PLUGIN_PATH=str(folder))
        open_document = spoc_test.steady(spoc_test.info_json("--verbose", env=env)[0])
        if os.geteuid() != 0 or HOST.lower() in json.dumps(open_document).lower():
            self.skipTest("this user's name, or a word that this machine is called, is in the document")
        hidden = spoc_test.steady(spoc_test.info_json("--verbose", "--redact", env=env)[0])
        # The build may lie in the home directory that the account has, whatever HOME says.
        home = pwd.getpwuid(os.geteuid()).pw_dir.rstrip("/")
        wanted = json.dumps(open_document)
        if home:
            wanted = wanted.replace(f"{home}/", "~/")
        self.assertEqual({**hidden, "redacted": False}, json.loads(wanted))


if __name__ == "__main__":
    spoc_test.main()
