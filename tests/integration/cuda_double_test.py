# SPDX-License-Identifier: Apache-2.0
"""The CUDA plugin on the double of its driver, as spoc-info shows it: what is found, and why not."""

import os
import unittest

import spoc_test

PLUGIN = os.environ["SPOC_TEST_CUDA_PLUGIN"]
DOUBLE = os.environ["SPOC_TEST_CUDA_DOUBLE"]


class CudaTest(unittest.TestCase):
    def document(self, status=None, **changes):
        env = spoc_test.clean_environment(
            SPOC_PLUGIN_FILES=PLUGIN, LD_LIBRARY_PATH=DOUBLE, **{"CUDA_VISIBLE_DEVICES": None, **changes}
        )
        document, _ = spoc_test.info_json(env=env, expect=status)
        return document

    def devices(self, **changes):
        return self.document(status=0, **changes)["devices"]

    def reason(self, **changes):
        document = self.document(status=1, **changes)
        self.assertEqual(document["devices"], [])
        [cuda] = [one for one in document["backends"] if one["name"] == "cuda"]
        self.assertEqual(cuda["state"], "unusable")
        return cuda["reason"]

    def test_what_is_there_is_listed(self):
        [card] = self.devices()
        self.assertEqual(card["selector"], "cuda:0")
        self.assertEqual(card["name"], "Invented card")
        self.assertEqual(card["arch"], "sm_90")
        self.assertEqual(card["memory_total_bytes"], 256 << 20)

    def test_what_the_driver_says_of_itself_is_the_reason(self):
        """B14: codes with which a driver without a usable card begins."""
        for code, reason in (
            (100, ("NO_DEVICE", "KERNEL_MODULE_MISSING")),
            (3, ("DRIVER_INIT_FAILED",)),
            (999, ("DRIVER_INIT_FAILED",)),
            (803, ("DRIVER_INIT_FAILED",)),
            (34, ("DRIVER_STUB",)),
        ):
            with self.subTest(code=code):
                said = self.reason(CUDA_DOUBLE_INIT=str(code))
                self.assertIn(said["code"], reason)
                self.assertEqual(said["native_code"], code)

    def test_hidden_cards_are_not_there(self):
        """B14, B17: the variable is the driver's to read."""
        for value in ("", "-1", "99", "MIG-0", "GPU-", "nonsense"):
            with self.subTest(value=value):
                said = self.reason(CUDA_DOUBLE_DEVICES="2", CUDA_VISIBLE_DEVICES=value)
                self.assertIn(said["code"], ("NO_DEVICE", "KERNEL_MODULE_MISSING"))

    def test_a_card_is_the_same_in_every_order(self):
        """B16: by UUID and PCI address, whatever its number."""
        straight = self.devices(CUDA_DOUBLE_DEVICES="2")
        turned = self.devices(CUDA_DOUBLE_DEVICES="2", CUDA_VISIBLE_DEVICES="1,0")
        identity = [(card["uuid"], card["pci"]) for card in straight]
        self.assertEqual(len(set(identity)), 2)
        self.assertEqual(identity, [(card["uuid"], card["pci"]) for card in reversed(turned)])

    def test_a_card_may_be_named_by_its_uuid(self):
        """B17."""
        [card] = self.devices(CUDA_DOUBLE_DEVICES="2", CUDA_VISIBLE_DEVICES="GPU-02020202")
        self.assertEqual(card["uuid"].replace("-", ""), "02" * 16)

    def test_a_driver_without_an_optional_function_lacks_what_stands_on_it(self):
        """B08."""
        for function, capability in (
            ("cuFuncGetParamInfo", "reflection"),
            ("cuPointerGetAttributes", "host_query"),
            ("cuMemAllocManaged", "buffer_unified"),
            ("cuLinkCreate", "program_binary"),
        ):
            with self.subTest(function=function):
                [card] = self.devices(CUDA_DOUBLE_WITHOUT=function)
                self.assertEqual(card["capabilities"][capability]["state"], "no")
                [card] = self.devices()
                self.assertEqual(card["capabilities"][capability]["state"], "yes")

    def test_a_driver_without_a_required_function_is_named_as_such(self):
        """B08."""
        said = self.reason(CUDA_DOUBLE_WITHOUT="cuMemcpyHtoDAsync")
        self.assertEqual(said["code"], "DRIVER_MISSING_SYMBOL")
        self.assertIn("cuMemcpyHtoDAsync", said["text"])

    def test_an_old_driver_is_used_as_far_as_it_goes(self):
        [card] = self.devices(CUDA_DOUBLE_VERSION="11020")
        self.assertIsNone(card["uuid"])
        said = self.reason(CUDA_DOUBLE_VERSION="10020")
        self.assertIn(said["code"], ("DRIVER_TOO_OLD", "DRIVER_MISSING_SYMBOL"))

    def test_no_driver_is_a_reason(self):
        env = spoc_test.clean_environment(SPOC_PLUGIN_FILES=PLUGIN, LD_LIBRARY_PATH=os.path.dirname(PLUGIN))
        document, status = spoc_test.info_json(env=env)
        if status == 0:
            self.skipTest("this machine has an NVIDIA driver")
        [cuda] = [one for one in document["backends"] if one["name"] == "cuda"]
        self.assertIn(cuda["reason"]["code"], ("DRIVER_NOT_FOUND", "NO_DEVICE", "KERNEL_MODULE_MISSING"))
        self.assertIn("libcuda.so.1", cuda["reason"]["text"])


if __name__ == "__main__":
    spoc_test.main()
