import assert from "node:assert/strict";
import { test } from "node:test";
import { BLOCK, LabelStore } from "../src/trace/labels";
import { settle } from "./support_server";

type Asked = { block: number; answer(): void; fail(): void };

/** A store of `most` blocks, asked by pictures; `fly` answers until nothing is asked any more. */
function made(most: number, againMs?: number) {
  const asked: Asked[] = [];
  let loads = 0;
  const source = {
    labels: (block: number) =>
      new Promise<{ name: string; category: string }[]>((resolve, reject) => {
        asked.push({
          block,
          answer: () => resolve([{ name: `of block ${block}`, category: "" }]),
          fail: () => reject(new Error("no")),
        });
      }),
  };
  const labels = new LabelStore(source, () => void ++loads, againMs, most);
  const picture = (blocks: number[]) => {
    labels.nextPicture();
    return blocks.map((block) => labels.get(block * BLOCK)?.name ?? null);
  };
  return { labels, asked, picture, loads: () => loads };
}
const name = (block: number) => `of block ${block}`;

test("a picture with names of more blocks than are kept asks for no more than these, and comes to rest", async () => {
  const { asked, picture, loads } = made(8);
  const wanted = Array.from({ length: 20 }, (_, block) => block);
  let answered = 0;
  for (let turn = 0; turn < 50; ++turn) {
    picture(wanted);
    for (; answered < asked.length; ++answered) asked[answered]?.answer();
    await settle(0);
  }
  assert.equal(asked.length, 8);
  assert.equal(loads(), 8);
  assert.deepEqual(
    picture(wanted),
    wanted.map((block) => (block < 8 ? name(block) : null)),
  );
});

test("few requests are on their way at once", () => {
  const { asked, picture } = made(100);
  picture(Array.from({ length: 50 }, (_, block) => block));
  assert.equal(asked.length, 4);
});

test("what was used longest ago is given up, and its late answer changes nothing", async () => {
  const { asked, picture } = made(2);
  picture([1, 2]);
  asked[0]?.answer();
  await settle(0);
  picture([1]);
  picture([1]);
  assert.deepEqual(picture([1, 3]), [name(1), null]);
  asked[1]?.answer();
  asked[2]?.answer();
  await settle(0);
  assert.deepEqual(
    asked.map((one) => one.block),
    [1, 2, 3],
  );
  assert.deepEqual(picture([1, 3]), [name(1), name(3)]);
  assert.deepEqual(picture([1, 3, 2]), [name(1), name(3), null], "block 2 was given up while it was on its way");
});

test("names that could not be had are told of, and asked for again, but not at once", async () => {
  const { labels, asked, picture, loads } = made(8, 30);
  picture([5]);
  asked[0]?.fail();
  await settle(0);
  assert.match(String(labels.error), /no/);
  picture([5]);
  assert.equal(asked.length, 1);
  const before = loads();
  await settle(60);
  assert.ok(loads() > before, "a picture is asked for");
  picture([5]);
  asked[1]?.answer();
  await settle(0);
  assert.deepEqual([labels.error, picture([5])[0]], [null, name(5)]);
});
