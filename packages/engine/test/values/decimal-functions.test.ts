import { Decimal128, Long } from 'bson';
import { expect } from 'chai';
import { Double } from 'mongodb';
import { compileExpression, expressionScope } from '../../src/expressions/compile-expression.js';
import { readDecimal } from '../../src/values/decimal.js';
import { DECIMAL_FUNCTIONS, type DecimalFunction } from '../../src/values/decimal-functions.js';

/** Computed with 80 digits by another implementation, and rounded to 34. */
const TABLE: readonly (readonly [DecimalFunction, string, string])[] = [
  ['exp', '1', '2.718281828459045235360287471352662'],
  ['exp', '0.5', '1.648721270700128146848650787814164'],
  ['exp', '-2.5', '0.08208499862389879516952867446715981'],
  ['exp', '700.25', '1.302299736699178393533542238619217E+304'],
  ['exp', '12345', '2.319418386839494681729961904737066E+5361'],
  ['ln', '2', '0.6931471805599453094172321214581766'],
  ['ln', '0.5', '-0.6931471805599453094172321214581766'],
  ['ln', '1234567.89', '14.02623158017992666515795043859448'],
  ['ln', '1E-30', '-69.07755278982137052053974364053093'],
  ['log10', '2', '0.3010299956639811952137388947244930'],
  ['log10', '1000', '3'],
  ['log10', '1E-30', '-30'],
  ['log10', '0.07', '-1.154901959985743169287783741407364'],
  ['sqrt', '2', '1.414213562373095048801688724209698'],
  ['sqrt', '4', '2'],
  ['sqrt', '0.25', '0.5'],
  ['sqrt', '1E-31', '3.162277660168379331998893544432719E-16'],
  ['sqrt', '12345.678', '111.1111065555554621666628377220260'],
  ['sin', '1', '0.8414709848078965066525023216302990'],
  ['sin', '-2.5', '-0.5984721441039564940518547021861623'],
  ['sin', '100', '-0.5063656411097587936565576104597854'],
  ['cos', '1', '0.5403023058681397174009366074429766'],
  ['cos', '-2.5', '-0.8011436155469337148335027904673517'],
  ['cos', '100', '0.8623188722876839341019385139508425'],
  ['tan', '1', '1.557407724654902230506974807458360'],
  ['tan', '-2.5', '0.7470222972386602793553526878252746'],
  ['atan', '1', '0.7853981633974483096156608458198757'],
  ['atan', '-0.25', '-0.2449786631268641541720824812112758'],
  ['atan', '25', '1.530817639671606577817743842010376'],
  ['asin', '0.5', '0.5235987755982988730771072305465838'],
  ['asin', '-0.3', '-0.3046926540153975079720029612275292'],
  ['acos', '0.5', '1.047197551196597746154214461093168'],
  ['acos', '-0.3', '1.875488980810294127203324652867281'],
  ['sinh', '1', '1.175201193643801456882381850595601'],
  ['sinh', '-2', '-3.626860407847018767668213982801262'],
  ['sinh', '150', '6.968547903331898486591709685707287E+64'],
  ['cosh', '1', '1.543080634815243778477905620757062'],
  ['cosh', '-2', '3.762195691083631459562213477773746'],
  ['cosh', '150', '6.968547903331898486591709685707287E+64'],
  ['tanh', '0.5', '0.4621171572600097585023184836436725'],
  ['tanh', '-2', '-0.9640275800758168839464137241009232'],
  ['asinh', '1', '0.8813735870195430252326093249797923'],
  ['asinh', '-2.5', '-1.647231146371095710624858610443620'],
  ['asinh', '0.1', '0.09983407889920756332730312470476944'],
  ['acosh', '1.5', '0.9624236501192068949955178268487368'],
  ['acosh', '20', '3.688253867361296667618167572032352'],
  ['atanh', '0.5', '0.5493061443340548456976226184612629'],
  ['atanh', '-0.3', '-0.3095196042031117154740673490610694'],
  ['degreesToRadians', '180', '3.141592653589793238462643383279503'],
  ['degreesToRadians', '1', '0.01745329251994329576923690768488613'],
  ['radiansToDegrees', '1', '57.29577951308232087679815481410517'],
  ['radiansToDegrees', '2.5', '143.2394487827058021919953870352629'],
];

/** Expressions and MongoDB's results, printed with their types. */
const TYPES: readonly (readonly [object, string])[] = [
  [{ $pow: [1, Long.fromNumber(-2)] }, 'Long 1'],
  [{ $pow: [2, -1] }, 'number 0.5'],
  [{ $pow: [2, Long.fromNumber(3)] }, 'Long 8'],
  [{ $pow: [2, 40] }, 'Long 1099511627776'],
  [{ $pow: [new Decimal128('2'), 10] }, `Decimal128 1024.${'0'.repeat(30)}`],
  [{ $pow: [new Decimal128('-2'), 3] }, `Decimal128 -8.${'0'.repeat(33)}`],
  [{ $pow: [new Decimal128('2'), new Decimal128('0.5')] }, 'Decimal128 1.414213562373095048801688724209698'],
  [{ $pow: [new Decimal128('2'), -2] }, `Decimal128 0.25${'0'.repeat(32)}`],
  [{ $mod: [Long.fromNumber(5), new Double(3)] }, 'Long 2'],
  [{ $mod: [5, new Double(3)] }, 'number 2'],
  [{ $mod: [new Double(5), 3] }, 'Double 2'],
  [{ $log: [new Decimal128('100'), new Decimal128('10')] }, 'Decimal128 2'],
  [{ $tan: new Decimal128('NaN') }, 'Decimal128 NaN'],
  [{ $add: [new Decimal128('0.1'), 0.2] }, 'Decimal128 0.3000000000000000111022302462515654'],
  [{ $add: [0.1, 0.2, 0.3] }, 'number 0.6'],
  [{ $atan2: [new Decimal128('1'), new Decimal128('1')] }, 'Decimal128 0.7853981633974483096156608458198757'],
];

describe('embedded/values: functions of decimals', () => {
  for (const [name, argument, wanted] of TABLE) {
    it(`${name} of ${argument}`, () => {
      const parts = readDecimal(Decimal128.fromString(argument));
      if (typeof parts === 'string') throw new Error('not a number');
      expect(DECIMAL_FUNCTIONS[name](parts).toString()).to.equal(Decimal128.fromString(wanted).toString());
    });
  }

  for (const [expression, wanted] of TYPES) {
    it(`${JSON.stringify(expression)} is ${wanted}`, () => {
      const value = compileExpression(expression, expressionScope({}))({});
      const type = typeof value === 'object' && value !== null ? value.constructor.name : typeof value;
      expect(`${type} ${String(value)}`).to.equal(wanted);
    });
  }
});
