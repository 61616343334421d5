import { expect } from 'chai';
import { isSigningSecret, newSecret, signed } from '../../src/webhooks/signature.js';

describe('signatures of webhooks', () => {
  /** From the specification of Standard Webhooks. */
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
    payload: '{"test": 2432232314}',
  };
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

  it('are those of Standard Webhooks, one for each secret', () => {
    const one = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
    expect(signed(message, [secret])).to.deep.equal({
      'webhook-id': message.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': one,
    });
    const two = signed(message, [newSecret(), secret])['webhook-signature']?.split(' ');
    expect(two).to.have.length(2);
    expect(two?.[1]).to.equal(one);
    expect(signed(message, [])).to.not.have.property('webhook-signature');
  });

  it('need secrets of 24 to 64 bytes', () => {
    expect(isSigningSecret(newSecret()) && isSigningSecret(secret)).to.equal(true);
    const others = [
      '',
      'whsec_',
      'secret',
      secret.slice(6),
      'whsec_c2hvcnQ=',
      `${secret}!`,
      `whsec_${'A'.repeat(100)}`,
    ];
    expect(others.filter(isSigningSecret)).to.deep.equal([]);
  });
});
