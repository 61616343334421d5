import type { Scene } from './picture.js';

interface Picture extends Scene {
  readonly alternativeText: string;
  readonly caption: string | null;
}

/** The pictures of the demo, by file name without ending. */
export const scenes: Readonly<Record<string, Picture>> = {
  harbour: {
    sky: [247, 178, 103],
    sea: [34, 87, 122],
    thing: [255, 236, 179],
    at: [0.72, 0.3, 0.09],
    alternativeText: 'The harbour at sunset',
    caption: 'Larkhaven, from the ropewalk',
  },
  oyster: {
    sky: [200, 216, 220],
    sea: [92, 120, 128],
    thing: [238, 232, 220],
    at: [0.5, 0.34, 0.14],
    alternativeText: 'An oyster on slate',
    caption: null,
  },
  bread: {
    sky: [250, 226, 180],
    sea: [120, 78, 42],
    thing: [196, 132, 62],
    at: [0.45, 0.36, 0.16],
    alternativeText: 'A round rye loaf',
    caption: 'Out of the oven at four',
  },
  noodles: {
    sky: [246, 214, 190],
    sea: [150, 50, 40],
    thing: [250, 240, 205],
    at: [0.52, 0.35, 0.15],
    alternativeText: 'A bowl of noodles',
    caption: null,
  },
  garden: {
    sky: [190, 226, 200],
    sea: [46, 104, 60],
    thing: [226, 90, 70],
    at: [0.3, 0.38, 0.08],
    alternativeText: 'A tomato on the vine',
    caption: 'The roof garden of Verdigris',
  },
  night: {
    sky: [38, 34, 78],
    sea: [16, 20, 44],
    thing: [244, 236, 190],
    at: [0.78, 0.14, 0.06],
    alternativeText: 'A lamp over the quay at night',
    caption: 'After the last ferry',
  },
};
