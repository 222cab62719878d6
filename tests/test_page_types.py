"""The page's types of joints and shapes are the engine's: web/src/world_types.ts is what the tables say."""
import os
import subprocess
import unittest

SOURCE, BUILD = os.environ["CH_SOURCE"], os.environ["CH_BUILD"]


class ThePage(unittest.TestCase):
    def test_knows_every_joint_and_shape_of_the_tables(self):
        told = subprocess.run([os.path.join(BUILD, "page_types")], capture_output=True, text=True, check=True).stdout
        with open(os.path.join(SOURCE, "web", "src", "world_types.ts"), encoding="utf-8") as file:
            self.assertEqual(told, file.read(), "write it anew: make tables")


if __name__ == "__main__":
    unittest.main()
